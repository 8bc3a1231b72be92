package io.statestore.broker.mqtt;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import ch.qos.logback.classic.Level;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.security.Account;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.security.Authentication;
import io.statestore.broker.security.AuthenticationException;
import io.statestore.broker.security.Credentials;
import io.statestore.test.CapturedLog;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawPublish;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Client ids that belong to the principal that has a connection or session. */
@ResourceLock("audit log")
class ClientIdOwnerTests {

	private static final int NOT_VALID = 0x85;

	private final DurableBroker durable;

	private final CountDownLatch verifying = new CountDownLatch(1);

	private final CountDownLatch verification = new CountDownLatch(1);

	@SuppressWarnings("NullAway.Init") // Set by startBroker().
	private MqttBroker broker;

	ClientIdOwnerTests(@TempDir Path directory) {
		this.durable = DurableBroker.in(directory);
	}

	@BeforeEach
	void startBroker() {
		this.broker = MqttBroker.start(settings(AnonymousAccess.ALL), new EchoServer(), MemoryBudget.unlimited());
	}

	/** Starts a broker with a directory in place of the running broker. */
	private void restart(AnonymousAccess anonymous) {
		this.broker.close();
		this.durable.close();
		this.broker = this.durable.with(settings(anonymous)).start().mqtt();
	}

	private MqttBrokerSettings settings(AnonymousAccess anonymous) {
		MqttSecurity security = new MqttSecurity(
				List.of(new Account("ada", "a"), new Account("bob", "b"), this::authenticateLate), anonymous,
				MqttSecurity.NONE.authorizer());
		return new MqttBrokerSettings("localhost", 0, 10_000).withSecurity(security);
	}

	/** Verifies another login of ada once the test permits it. */
	private @Nullable Authentication authenticateLate(Credentials credentials) throws AuthenticationException {
		if (!"late".equals(credentials.userName())) {
			return null;
		}
		this.verifying.countDown();
		try {
			this.verification.await();
		}
		catch (InterruptedException ex) {
			throw new AuthenticationException("interrupted");
		}
		return Authentication.of("ada");
	}

	@AfterEach
	void stopBroker() {
		this.verification.countDown();
		this.broker.close();
		this.durable.close();
	}

	@Test
	void protectsConnections() throws Exception {
		try (RawMqttConnection ada = new RawMqttConnection(this.broker.port());
				RawMqttConnection anonymous = new RawMqttConnection(this.broker.port())) {
			assertThat(connect(ada, "adas", "ada", 0)).isZero();
			assertThat(connect(anonymous, "any", null, 0)).isZero();
			assertOthersAreRefused();
			ada.ping();
			anonymous.ping();
		}
	}

	@Test
	void protectsSessionsBeforeAndAfterRestart() throws Exception {
		restart(AnonymousAccess.ALL);
		assertThat(reason("adas", "ada")).isZero();
		assertThat(reason("any", null)).isZero();
		assertOthersAreRefused();
		restart(AnonymousAccess.ALL);
		assertOthersAreRefused();
		assertOwnersAreAccepted();
	}

	@Test
	void ownerTakesOverConnection() throws Exception {
		try (RawMqttConnection ada = new RawMqttConnection(this.broker.port());
				RawMqttConnection anonymous = new RawMqttConnection(this.broker.port())) {
			connect(ada, "adas", "ada", 0);
			connect(anonymous, "any", null, 0);
			assertOwnersAreAccepted();
		}
	}

	/** Refusals take half a second, during which the owner may disconnect. */
	private void assertOthersAreRefused() throws Exception {
		try (RawMqttConnection bob = new RawMqttConnection(this.broker.port());
				RawMqttConnection nobody = new RawMqttConnection(this.broker.port());
				RawMqttConnection ada = new RawMqttConnection(this.broker.port())) {
			bob.send(login("adas", "bob", 3_600));
			nobody.send(login("adas", null, 3_600));
			ada.send(login("any", "ada", 3_600));
			for (RawMqttConnection other : List.of(bob, nobody, ada)) {
				assertThat(other.receiveReason(PacketType.CONNACK)).isEqualTo(NOT_VALID);
			}
		}
	}

	private void assertOwnersAreAccepted() throws Exception {
		assertThat(reason("adas", "ada")).isZero();
		assertThat(reason("any", null)).isZero();
	}

	@Test
	void protectsAgainstMqtt3Clients() throws Exception {
		try (RawMqttConnection first = new RawMqttConnection(this.broker.port());
				RawMqttConnection second = new RawMqttConnection(this.broker.port())) {
			assertThat(connect(first, "ada", 0)).isZero();
			RawConnect connect = RawConnect.of("c1").version(RawPacket.MQTT_3_1_1).login("bob", "b");
			assertThat(second.connect(connect).reason()).isEqualTo(2);
			second.assertClosed();
			first.ping();
		}
	}

	@Test
	void protectsSessionOfMqtt3Client() throws Exception {
		try (RawMqttConnection first = new RawMqttConnection(this.broker.port())) {
			RawConnect connect = RawConnect.of("c1").version(RawPacket.MQTT_3_1_1).cleanStart(false).login("ada", "a");
			assertThat(first.connect(connect).reason()).isZero();
		}
		assertThat(reason("bob")).isEqualTo(NOT_VALID);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1 })
	void freesIdWhenSessionHasEnded(int expirySeconds) throws Exception {
		try (RawMqttConnection first = new RawMqttConnection(this.broker.port())) {
			assertThat(connect(first, "ada", expirySeconds)).isZero();
		}
		await().until(() -> reason("bob") == 0);
	}

	@Test
	void freesIdBeforeClientSeesConnectionEnd() throws Exception {
		for (int i = 0; i < 100; i++) {
			String user = (i % 2 == 0) ? "ada" : "bob";
			try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
				assertThat(client.connect(RawConnect.of("c1").login(user, user.substring(0, 1))).reason()).isZero();
				client.send(RawControl.disconnect(0));
				client.assertClosed();
			}
		}
	}

	@Test
	void acceptsOnePrincipalAmongSimultaneousConnections() throws Exception {
		CyclicBarrier start = new CyclicBarrier(2);
		ExecutorService threads = Executors.newFixedThreadPool(2);
		try (RawMqttConnection first = new RawMqttConnection(this.broker.port());
				RawMqttConnection second = new RawMqttConnection(this.broker.port())) {
			Callable<Integer> ada = () -> {
				start.await();
				return connect(first, "ada", 0);
			};
			Callable<Integer> bob = () -> {
				start.await();
				return connect(second, "bob", 0);
			};
			List<Future<Integer>> reasons = List.of(threads.submit(ada), threads.submit(bob));
			assertThat(List.of(reasons.get(0).get(), reasons.get(1).get())).containsExactlyInAnyOrder(0, NOT_VALID);
		}
		finally {
			threads.shutdownNow();
		}
	}

	@Test
	void lateLoginDoesNotTakeOverLaterConnection() throws Exception {
		try (CapturedLog log = new CapturedLog(AuditLog.LOGGER, Level.INFO);
				RawMqttConnection late = new RawMqttConnection(this.broker.port());
				RawMqttConnection live = new RawMqttConnection(this.broker.port())) {
			late.send(RawConnect.of("race").login("late", "l"));
			this.verifying.await();
			assertThat(connect(live, "race", "ada", 3_600)).isZero();
			live.subscribed("t", 0);
			this.verification.countDown();
			late.assertClosed();
			live.send(live.publish("t", 0, "m"));
			assertThat(live.receivePublish().text()).isEqualTo("m");
			assertThat(log.messages()).filteredOn((line) -> line.contains("client=\"race\""))
				.containsExactly("event=login principal=\"ada\" client=\"race\" address=127.0.0.1",
						"event=login-failed principal=\"ada\" client=\"race\" address=127.0.0.1 "
								+ "reason=\"the client has connected again\"");
		}
	}

	@Test
	void lateLoginDoesNotEndSessionOfLaterConnection() throws Exception {
		try (RawMqttConnection late = new RawMqttConnection(this.broker.port())) {
			late.send(RawConnect.of("c1").login("late", "l"));
			this.verifying.await();
			assertThat(reason("ada")).isZero();
			this.verification.countDown();
			late.assertClosed();
		}
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect(RawConnect.of("c1").cleanStart(false).login("ada", "a")).sessionPresent())
				.isTrue();
		}
	}

	@Test
	void firstPrincipalTakesOverAnonymousSession() throws Exception {
		restart(AnonymousAccess.ALL);
		try (RawMqttConnection first = new RawMqttConnection(this.broker.port())) {
			assertThat(connect(first, null, 3_600)).isZero();
		}
		restart(AnonymousAccess.NONE);
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			RawConnect connect = RawConnect.of("c1", PropertyType.SESSION_EXPIRY_INTERVAL.of(3_600))
				.cleanStart(false)
				.login("ada", "a");
			assertThat(client.connect(connect).sessionPresent()).isTrue();
		}
		restart(AnonymousAccess.NONE);
		assertThat(reason("bob")).isEqualTo(NOT_VALID);
	}

	private int reason(@Nullable String user) throws Exception {
		return reason("c1", user);
	}

	private int reason(String clientId, @Nullable String user) throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			return connect(client, clientId, user, 3_600);
		}
	}

	private static int connect(RawMqttConnection client, @Nullable String user, int expirySeconds) throws Exception {
		return connect(client, "c1", user, expirySeconds);
	}

	private static int connect(RawMqttConnection client, String clientId, @Nullable String user, int expirySeconds)
			throws Exception {
		return client.connect(login(clientId, user, expirySeconds)).reason();
	}

	private static RawConnect login(String clientId, @Nullable String user, int expirySeconds) {
		RawConnect connect = RawConnect.of(clientId, PropertyType.SESSION_EXPIRY_INTERVAL.of(expirySeconds))
			.cleanStart(false);
		return (user != null) ? connect.login(user, user.substring(0, 1)) : connect;
	}

}
