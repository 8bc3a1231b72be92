package io.statestore.broker.standalone;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.statestore.broker.security.AuthenticationException;
import io.statestore.broker.security.Credentials;
import io.statestore.broker.security.PasswordFile;
import io.statestore.broker.security.PasswordHash;
import io.statestore.test.Mosquitto;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests {@link PasswdCommand}, and the exchange of files with Mosquitto. */
class PasswdCommandTests {

	@TempDir
	private Path directory;

	private Path file;

	private final TestCommand command = new TestCommand();

	@BeforeEach
	void nameFile() {
		this.file = this.directory.resolve("users");
	}

	@Test
	void generatesPassword() throws Exception {
		assertThat(run("ada", "--generate")).isZero();
		String password = this.command.output().strip();
		assertThat(password).hasSize(22);
		assertThat(accepts("ada", password)).isTrue();
		assertThat(accepts("ada", password + "x")).isFalse();
		assertThat(Files.readString(this.file)).startsWith("ada:$7$25000$").doesNotContain(password);
		assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(this.file))).isEqualTo("rw-------");
	}

	@Test
	void changesOneUserAndKeepsOtherLines() throws Exception {
		Files.writeString(this.file, "# users\n");
		set("ada", "first");
		set("bob", "b");
		set("ada", "second");
		assertThat(accepts("ada", "second")).isTrue();
		assertThat(accepts("ada", "first")).isFalse();
		assertThat(accepts("bob", "b")).isTrue();
		assertThat(Files.readAllLines(this.file)).hasSize(3).first().isEqualTo("# users");
		assertThat(run("ada", "--delete")).isZero();
		assertThat(Files.readAllLines(this.file)).hasSize(2);
		assertThat(run("ada", "--delete")).isEqualTo(1);
		assertThat(this.command.errors()).contains("There is no user 'ada'");
		try (var files = Files.list(this.directory)) {
			assertThat(files.map((path) -> path.getFileName().toString())).containsExactlyInAnyOrder("users",
					"password");
		}
	}

	@Test
	void keepsFileOwnerAndPermissions() throws Exception {
		set("ada", "first");
		Files.setPosixFilePermissions(this.file, PosixFilePermissions.fromString("rw-r-----"));
		boolean root = Files.getOwner(this.directory).getName().equals("root");
		UserPrincipal owner = root
				? this.file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody")
				: Files.getOwner(this.file);
		Files.setOwner(this.file, owner);
		set("ada", "second");
		assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(this.file))).isEqualTo("rw-r-----");
		assertThat(Files.getOwner(this.file)).isEqualTo(owner);
		assertThat(accepts("ada", "second")).isTrue();
	}

	@Test
	void keepsConcurrentChanges() throws Exception {
		int threads = 8;
		int changes = 10;
		PasswordHash hash = PasswordHash.of("secret", 1);
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			List<Future<?>> results = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				int thread = i;
				results.add(executor.submit(() -> {
					for (int j = 0; j < changes; j++) {
						new UserFileEditor(this.file).set("user-" + thread + '-' + j, hash);
					}
					return null;
				}));
			}
			for (Future<?> result : results) {
				result.get(20, TimeUnit.SECONDS);
			}
		}
		finally {
			executor.shutdownNow();
		}
		assertThat(Files.readAllLines(this.file)).hasSize(threads * changes);
		try (var files = Files.list(this.directory)) {
			assertThat(files).containsExactly(this.file);
		}
	}

	@Test
	void leavesTargetOfLinkNamedLikeLockUnchanged() throws Exception {
		Path target = Files.writeString(this.directory.resolve("target"), "important");
		Files.createSymbolicLink(this.directory.resolve("users.lock"), target);
		assertThat(run("ada", "--generate")).isEqualTo(1);
		assertThat(this.command.errors()).contains("delete " + this.directory.resolve("users.lock"));
		assertThat(Files.readString(target)).isEqualTo("important");
	}

	@Test
	void replacesSymbolicLinkTarget() throws Exception {
		Path target = Files.createFile(this.directory.resolve("target"));
		Files.createSymbolicLink(this.file, target);
		set("ada", "a");
		assertThat(Files.isSymbolicLink(this.file)).isTrue();
		assertThat(Files.readString(target)).startsWith("ada:");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			a:b   | --generate                 | Invalid user name 'a:b': a user name must have
			''    | --generate                 | a user name must have
			ada   | --generate --delete        | exclude each other
			ada   | --generate --iterations=0  | --iterations must be 1
			ada   | --iterations=10            | There is no terminal
			""")
	void refusesInvalidArguments(String user, String options, String message) {
		String[] arguments = (user + ' ' + options).split(" ");
		arguments[0] = user;
		assertThat(run((Object[]) arguments)).isEqualTo(2);
		assertThat(this.command.errors()).contains(message);
		assertThat(this.file).doesNotExist();
	}

	@Test
	void leavesInvalidFileUnchanged() throws Exception {
		Files.writeString(this.file, "ada:plain\n");
		assertThat(run("bob", "--generate")).isEqualTo(2);
		assertThat(this.command.errors())
			.contains("Cannot change " + this.file + ": line 1: the password is not hashed")
			.doesNotContain("plain");
		assertThat(Files.readString(this.file)).isEqualTo("ada:plain\n");
	}

	@Test
	void refusesPasswordFileThatIsNotText() throws Exception {
		Path password = Files.write(this.directory.resolve("password"), new byte[] { (byte) 0xFF, 0, 1 });
		assertThat(run("bob", "--password-file", password.toString())).isEqualTo(2);
		assertThat(this.command.errors()).contains("--password-file '" + password + "': it is not a text in UTF-8");
		assertThat(this.file).doesNotExist();
	}

	@Test
	void reportsMissingDirectory() {
		this.file = this.directory.resolve("none/users");
		assertThat(run("bob", "--generate")).isEqualTo(1);
		assertThat(this.command.errors()).contains("Cannot change " + this.file);
	}

	@Test
	@RequiresProgram("mosquitto_passwd")
	void readsMosquittoFile() throws Exception {
		Process process = new ProcessBuilder("mosquitto_passwd", "-b", "-c", this.file.toString(), "ada", "sesame ü")
			.inheritIO()
			.start();
		assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
		assertThat(accepts("ada", "sesame ü")).isTrue();
		assertThat(accepts("ada", "sesame")).isFalse();
	}

	@Test
	@RequiresProgram("mosquitto")
	void writesFileMosquittoAccepts() throws Exception {
		set("ada", "sesame ü");
		Files.setPosixFilePermissions(this.file, PosixFilePermissions.fromString("rw-r--r--"));
		Files.setPosixFilePermissions(this.directory, PosixFilePermissions.fromString("rwxr-xr-x"));
		try (Mosquitto mosquitto = Mosquitto.start("allow_anonymous false", "password_file " + this.file,
				"log_type all");
				RawMqttConnection client = new RawMqttConnection(mosquitto.port());
				RawMqttConnection refused = new RawMqttConnection(mosquitto.port())) {
			assertThat(client.connect(RawConnect.of("c1").login("ada", "sesame ü")).reason()).isZero();
			assertThat(refused.connect(RawConnect.of("c2").login("ada", "sesame")).reason()).isNotZero();
		}
	}

	private void set(String user, String password) throws IOException {
		Path secret = Files.writeString(this.directory.resolve("password"), password + "\nsecond line\n");
		assertThat(run(user, "--password-file", secret.toString(), "--iterations", "10")).isZero();
	}

	// NullAway ignores that record components of array types are nullable.
	@SuppressWarnings("NullAway")
	private boolean accepts(String user, String password) throws Exception {
		try {
			return PasswordFile.of(this.file)
				.authenticate(new Credentials("c1", user, password.getBytes(StandardCharsets.UTF_8), null, null,
						List.of(), InetAddress.getLoopbackAddress())) != null;
		}
		catch (AuthenticationException ex) {
			return false;
		}
	}

	private int run(Object... arguments) {
		return this.command.run(Stream.concat(Stream.of("passwd", this.file), Stream.of(arguments)).toArray());
	}

}
