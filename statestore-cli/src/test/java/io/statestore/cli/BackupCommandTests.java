package io.statestore.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.log.StoreDirectory;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.cli.Cli.Result;
import io.statestore.protocol.AdministrationAccess;
import io.statestore.test.RawMqttClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(120)
class BackupCommandTests {

	@TempDir
	private Path directory;

	private Result backUp(StateStoreBroker broker, String file) {
		return Cli.on(broker.port()).run("backup", "--to", this.directory.resolve(file).toString());
	}

	@Test
	void backupOfInMemoryBrokerStartsInDirectory() throws IOException {
		Path file = this.directory.resolve("a.backup");
		Path restored = this.directory.resolve("restored");
		byte[] value = new byte[700_000];
		new Random(1).nextBytes(value);
		Path content = Files.write(this.directory.resolve("value"), value);
		try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
			Cli cli = Cli.on(broker.port());
			assertThat(cli.run("set", "large", "--file", content.toString()).err()).isEmpty();
			for (int i = 0; i < 20; i++) {
				cli.run("set", "k" + i, "v" + i);
			}
			Result result = backUp(broker, "a.backup");
			assertThat(result.exitCode()).as(result.err()).isZero();
			assertThat(result.err()).contains("Backup written to " + file + " (" + Files.size(file) + " bytes)");
			assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
		}
		StoreDirectory.restore(file, restored, null);
		try (StateStoreBroker broker = StateStoreBroker.builder().storage(StorageOptions.in(restored)).start()) {
			assertThat(Cli.on(broker.port()).run("get", "k19", "-o", "raw").out()).isEqualTo("v19");
			byte[] large = Cli.on(broker.port()).run("get", "large", "-o", "raw").bytes();
			assertThat(Arrays.mismatch(large, value)).isEqualTo(-1);
		}
	}

	@Test
	void backupContainsSessions() {
		Path restored = this.directory.resolve("restored");
		try (StateStoreBroker broker = StateStoreBroker.builder()
			.storage(StorageOptions.in(this.directory.resolve("store")))
			.start(); RawMqttClient press = RawMqttClient.connect(broker.port(), "press", true, 3_600)) {
			press.subscribe("t");
			assertThat(backUp(broker, "a.backup").exitCode()).isZero();
		}
		StoreDirectory.restore(this.directory.resolve("a.backup"), restored, null);
		try (StateStoreBroker broker = StateStoreBroker.builder().storage(StorageOptions.in(restored)).start()) {
			assertThat(Cli.on(broker.port()).run("sessions", "-o", "raw").out()).startsWith("press\t");
		}
	}

	@Test
	void refusesUserWithoutAdminPermission() throws IOException {
		try (StateStoreBroker broker = StateStoreBroker.builder().administration(AdministrationAccess.OFF).start()) {
			Result result = backUp(broker, "a.backup");
			assertThat(result.exitCode()).as(result.err()).isEqualTo(ExitCodes.REFUSED);
			assertThat(result.err()).contains("does not authorize this client").doesNotContain("\tat ");
		}
		assertThat(files()).isEmpty();
	}

	@Test
	void keepsExistingFile() throws IOException {
		Path file = Files.writeString(this.directory.resolve("a.backup"), "letter");
		try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
			Result result = backUp(broker, "a.backup");
			assertThat(result.exitCode()).isEqualTo(ExitCodes.USAGE);
			assertThat(result.err()).contains(file + " exists. Use another name");
			assertThat(backUp(broker, "absent/a.backup").err()).contains("does not exist");
		}
		assertThat(file).hasContent("letter");
		assertThat(files()).containsExactly(file);
	}

	@Test
	void eachBackupIsComplete() throws IOException {
		try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
			Cli.on(broker.port()).run("set", "k", "v");
			backUp(broker, "a.backup");
			backUp(broker, "b.backup");
		}
		byte[] one = Files.readAllBytes(this.directory.resolve("a.backup"));
		byte[] other = Files.readAllBytes(this.directory.resolve("b.backup"));
		assertThat(one).hasSameSizeAs(other);
		// The header contains the time.
		assertThat(Arrays.copyOfRange(one, 20, one.length - 32))
			.isEqualTo(Arrays.copyOfRange(other, 20, other.length - 32));
	}

	private Stream<Path> files() throws IOException {
		return Files.list(this.directory);
	}

}
