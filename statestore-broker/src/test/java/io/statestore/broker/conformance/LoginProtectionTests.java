package io.statestore.broker.conformance;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.security.Authentication;
import io.statestore.broker.security.Authenticator;
import io.statestore.broker.security.PasswordFile;
import io.statestore.broker.security.PasswordHash;
import io.statestore.test.CapturedLog;
import io.statestore.test.PacketType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What the documentation promises about logins, as seen by clients. */
@Isolated("captures the log and measures time")
@Timeout(120)
class LoginProtectionTests {

	private static final int BAD_LOGIN = 0x86;

	private static final int UNAVAILABLE = 0x88;

	private final List<RawMqttConnection> flood = new ArrayList<>();

	@TempDir
	private Path directory;

	@AfterEach
	void endFlood() throws IOException {
		for (RawMqttConnection client : this.flood) {
			client.close();
		}
		this.flood.clear();
	}

	@Test
	void acceptsFirstLoginFromAnotherAddressDuringFlood() throws Exception {
		try (StateStoreBroker broker = start(20_000, "ada", "bob", "carl", "dora", "emil", "fay")) {
			flood(broker.port(), 1_200, "ada", "bob", "carl", "dora", "emil");
			try (RawMqttConnection client = from("127.0.0.2", broker.port())) {
				long start = System.nanoTime();
				assertThat(client.connect(TestLogins.connect("fay.first")).reason()).isZero();
				assertThat(since(start)).isLessThan(Duration.ofSeconds(8));
			}
		}
	}

	@Test
	void acceptsFirstLoginWithFloodedNameAfterFlood() throws Exception {
		try (StateStoreBroker broker = start(20_000, "ada")) {
			flood(broker.port(), 600, "ada");
			endFlood();
			// Logins of clients that have left do not delay others.
			await().until(() -> reason(broker.port(), TestLogins.connect("ada.first")) == 0);
			assertThat(reason(broker.port(), TestLogins.connect("ada.second"))).isZero();
		}
	}

	@Tag("long")
	@Test
	void answersHangingLoginsAndVerifiesOtherLogins() throws Exception {
		CountDownLatch hanging = new CountDownLatch(1);
		Authenticator authenticator = (credentials) -> {
			if (credentials.clientId().startsWith("hanging")) {
				awaitLatch(hanging);
			}
			return Authentication.of(String.valueOf(credentials.userName()));
		};
		try (StateStoreBroker broker = StateStoreBroker.builder().authenticator(authenticator).start()) {
			for (int i = 0; i < 12; i++) {
				RawMqttConnection client = new RawMqttConnection(broker.port());
				this.flood.add(client);
				client.send(RawConnect.of("hanging" + i).login("u" + i, "x"));
			}
			for (RawMqttConnection client : this.flood) {
				assertThat(client.receiveReason(PacketType.CONNACK)).isEqualTo(UNAVAILABLE);
			}
			assertThat(reason(broker.port(), RawConnect.of("other").login("other", "x"))).isZero();
			hanging.countDown();
			assertThat(reason(broker.port(), RawConnect.of("later").login("later", "x"))).isZero();
		}
	}

	@Test
	void refusesOversizedNamesAndPasswords() throws Exception {
		try (StateStoreBroker broker = start(10, "ada")) {
			assertThat(reason(broker.port(), RawConnect.of("c").login("a".repeat(257), "x"))).isEqualTo(BAD_LOGIN);
			assertThat(reason(broker.port(), RawConnect.of("c").login("ada", "x".repeat(4_097)))).isEqualTo(BAD_LOGIN);
		}
	}

	@Test
	void inventedNamesDoNotHideFailuresFromOtherAddresses() throws Exception {
		try (StateStoreBroker broker = start(10, "ada");
				CapturedLog log = new CapturedLog(AuditLog.LOGGER, Level.INFO)) {
			flood(broker.port(), 60, IntStream.range(0, 60).mapToObj((i) -> "invented" + i).toArray(String[]::new));
			await().until(() -> broker.statistics().security().refusedLogins() == 60);
			try (RawMqttConnection client = from("127.0.0.2", broker.port())) {
				client.connect(RawConnect.of("c\n1").login("ada", "wrong"));
			}
			assertThat(log.messages()).filteredOn((line) -> line.contains(" address=127.0.0.1 ")).hasSize(20);
			assertThat(log.messages())
				.contains("event=login-failed user=\"ada\" client=\"c\\u000A1\" address=127.0.0.2 "
						+ "reason=\"wrong password\"");
		}
	}

	@Test
	void limitsDenialLogLinesPerUser() throws Exception {
		Path rules = Files.writeString(this.directory.resolve("rules"), "user ada read key a\n");
		try (StateStoreBroker broker = builder(10, "ada", "bob").rules(rules).start();
				CapturedLog log = new CapturedLog(AuditLog.LOGGER, Level.INFO);
				StoreClient ada = TestLogins.client(broker.port(), "ada.c");
				StoreClient bob = TestLogins.client(broker.port(), "bob.c")) {
			for (int i = 0; i < 30; i++) {
				ada.call("GET", "secret");
			}
			bob.call("GET", "a");
			String denied = "event=denied principal=\"%s\" client=\"%s.c\" address=127.0.0.1 action=read key=\"%s\"";
			assertThat(log.messages()).filteredOn((line) -> line.equals(denied.formatted("ada", "ada", "secret")))
				.hasSize(10);
			assertThat(log.messages()).contains(denied.formatted("bob", "bob", "a"));
			assertThat(broker.statistics().security().deniedRequests()).isEqualTo(31);
		}
	}

	@Test
	void readsChangedUsersAndKeepsThemWhileFileIsMissing() throws Exception {
		try (StateStoreBroker broker = start(10, "ada", "bob")) {
			Files.delete(users());
			// Longer than the interval between checks.
			await().pollDelay(Duration.ofMillis(2_500))
				.until(() -> reason(broker.port(), TestLogins.connect("ada.c")) == 0);
			write(10, "bob", "carl");
			await().until(() -> reason(broker.port(), TestLogins.connect("carl.c")) == 0);
			assertThat(reason(broker.port(), TestLogins.connect("bob.c"))).isZero();
			assertThat(reason(broker.port(), TestLogins.connect("ada.c"))).isEqualTo(BAD_LOGIN);
		}
	}

	@Test
	void readsChangedRulesWithinSeconds() throws Exception {
		Path rules = Files.writeString(this.directory.resolve("rules"), "");
		try (StateStoreBroker broker = StateStoreBroker.builder().anonymous(AnonymousAccess.ALL).rules(rules).start();
				StoreClient client = StoreClient.connect(broker.port(), "c")) {
			assertThat(Resp.text(client.call("GET", "a"))).contains("not authorized");
			Files.writeString(rules, "everyone read key a\n");
			await().until(() -> !Resp.text(client.call("GET", "a")).contains("not auth"));
			Files.writeString(rules, "everyone reed key a\n");
			await().pollDelay(Duration.ofMillis(2_500))
				.until(() -> !Resp.text(client.call("GET", "a")).contains("not auth"));
		}
	}

	private Path users() {
		return this.directory.resolve("users");
	}

	private void write(int iterations, String... names) throws IOException {
		Files.writeString(users(),
				Stream.of(names)
					.map((name) -> name + ':' + PasswordHash.of("password of " + name, iterations).text() + '\n')
					.collect(Collectors.joining()));
	}

	private StateStoreBrokerBuilder builder(int iterations, String... names) throws IOException {
		write(iterations, names);
		return StateStoreBroker.builder().authenticator(PasswordFile.of(users())).maxConnectionsPerAddress(10_000);
	}

	private StateStoreBroker start(int iterations, String... names) throws IOException {
		return builder(iterations, names).start();
	}

	/**
	 * Sends logins with wrong passwords from 127.0.0.1 without waiting for replies.
	 */
	private void flood(int port, int logins, String... names) throws IOException {
		for (int i = 0; i < logins; i++) {
			RawMqttConnection client = new RawMqttConnection(port);
			this.flood.add(client);
			client.send(RawConnect.of("c" + i).login(names[i % names.length], "wrong " + i));
		}
	}

	private static RawMqttConnection from(String address, int port) throws IOException {
		Socket socket = new Socket();
		socket.bind(new InetSocketAddress(address, 0));
		return new RawMqttConnection(socket, port);
	}

	private static int reason(int port, RawConnect connect) throws IOException {
		try (RawMqttConnection client = new RawMqttConnection(port)) {
			return client.connect(connect).reason();
		}
	}

	private static Duration since(long start) {
		return Duration.ofNanos(System.nanoTime() - start);
	}

	private static void awaitLatch(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
