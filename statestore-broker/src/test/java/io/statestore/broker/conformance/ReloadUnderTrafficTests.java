package io.statestore.broker.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.net.ssl.SSLSocket;

import ch.qos.logback.classic.Level;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.certificates.TestCertificates;
import io.statestore.broker.security.PasswordFile;
import io.statestore.broker.security.PasswordHash;
import io.statestore.broker.security.ServerTls;
import io.statestore.broker.security.ServerTls.ClientAuth;
import io.statestore.test.CapturedLog;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Replacing the files with users, rules, and certificates while clients send requests:
 * each request gets its reply, and each connection continues.
 */
@Tag("long")
@Timeout(60)
@Isolated("captures the log")
class ReloadUnderTrafficTests {

	private static final String RULES = "user ada read,write key *\nuser bob read,write key *\n";

	@TempDir
	private Path directory;

	private TestCertificates certificates;

	private Path users;

	private Path rules;

	private StateStoreBroker broker;

	/** One thread per client, because the common pool may have fewer threads. */
	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final AtomicBoolean ended = new AtomicBoolean();

	private final List<CompletableFuture<Integer>> traffic = new ArrayList<>();

	@BeforeEach
	void start() throws IOException {
		this.certificates = new TestCertificates(this.directory.resolve("certificates"));
		this.users = Files.writeString(this.directory.resolve("users"), user("ada") + user("bob"));
		this.rules = Files.writeString(this.directory.resolve("rules"), RULES);
		this.broker = StateStoreBroker.builder()
			.tls(ServerTls.ofPem(this.certificates.server(), ClientAuth.NONE))
			.authenticator(PasswordFile.of(this.users))
			.rules(this.rules)
			.start();
		RawMqttConnection.useTls(this.broker.port(), this.certificates.trust().getSocketFactory());
		for (String client : new String[] { "ada.1", "ada.2", "bob.1" }) {
			StoreClient connected = TestLogins.client(this.broker.port(), client);
			this.traffic.add(CompletableFuture.supplyAsync(() -> requests(connected), this.threads));
		}
	}

	@AfterEach
	void stop() {
		this.ended.set(true);
		RawMqttConnection.useTcp(this.broker.port());
		this.broker.close();
		this.threads.shutdown();
	}

	/** Sends requests until the end of the test and returns how many it sent. */
	private int requests(StoreClient client) {
		int count = 0;
		try (client) {
			while (!this.ended.get()) {
				String key = client.clientId();
				assertThat(Resp.text(client.call("SET", key, "" + count))).isEqualTo("+OK⏎");
				assertThat(client.value(key)).isEqualTo("" + count);
				count++;
			}
		}
		return count;
	}

	private void verifyTraffic() throws Exception {
		assertThat(this.traffic).noneMatch(CompletableFuture::isDone);
		this.ended.set(true);
		for (CompletableFuture<Integer> requests : this.traffic) {
			assertThat(requests.get()).isPositive();
		}
	}

	private static String user(String name) {
		return user(name, "password of " + name);
	}

	private static String user(String name, String password) {
		return name + ':' + PasswordHash.of(password, 10).text() + '\n';
	}

	private static void replace(Path file, String content) throws IOException {
		Path next = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), content);
		Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
	}

	private boolean mayLogIn(String clientId) {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			return client.connect(TestLogins.connect(clientId)).reason() == 0;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private BigInteger serial() throws IOException {
		SSLSocket socket = (SSLSocket) this.certificates.trust().getSocketFactory().createSocket();
		try (RawMqttConnection client = new RawMqttConnection(socket, this.broker.port())) {
			assertThat(client.connect(TestLogins.connect("ada.serial")).reason()).isZero();
			return ((X509Certificate) socket.getSession().getPeerCertificates()[0]).getSerialNumber();
		}
	}

	@Test
	void replacesUsersRulesAndCertificate() throws Exception {
		BigInteger serial = serial();
		try (StoreClient probe = TestLogins.client(this.broker.port(), "ada.probe")) {
			// Bob stays connected even though his password has changed.
			replace(this.users, user("ada") + user("bob", "another password") + user("carl"));
			replace(this.rules, "user bob read,write key bob.*\nuser ada read,write key ada.*\n");
			this.certificates.issueServer("localhost", "127.0.0.1");
			await("the new users").until(() -> mayLogIn("carl.1") && !mayLogIn("bob.2"));
			await("the new rules").until(() -> Resp.text(probe.call("GET", "other")).contains("not authorized"));
			await("the new certificate").until(() -> !serial().equals(serial));
		}
		verifyTraffic();
	}

	@Test
	void invalidFilesChangeNothing() throws Exception {
		BigInteger serial = serial();
		try (StoreClient probe = TestLogins.client(this.broker.port(), "ada.probe");
				CapturedLog log = new CapturedLog("io.statestore.broker.security", Level.ERROR)) {
			replace(this.users, "no user");
			replace(this.rules, "no rule");
			Files.writeString(Path.of(this.certificates.file("server-key.pem")), "no key");
			for (String file : new String[] { this.users.toString(), this.rules.toString(), "server-key.pem" }) {
				await("the error about " + file).until(() -> {
					// The rules are read when a request needs them.
					probe.fence();
					return log.messages()
						.stream()
						.anyMatch((message) -> message.contains(file) && message.contains("previous content"));
				});
			}
			assertThat(mayLogIn("bob.2")).isTrue();
			assertThat(probe.value("other")).isNull();
			assertThat(serial()).isEqualTo(serial);
		}
		verifyTraffic();
	}

}
