package io.statestore.broker.mqtt;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.security.Account;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.Authentication;
import io.statestore.broker.security.AuthenticationException;
import io.statestore.broker.security.Authenticator;
import io.statestore.broker.security.Credentials;
import io.statestore.test.CapturedLog;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawPublish;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Logins on the wire, with an authenticator that takes long. */
@Isolated("captures the log")
class LoginTests extends MqttBrokerTest {

	private static final long MEMORY = 16 * 1024 * 1024;

	private final CountDownLatch verification = new CountDownLatch(1);

	private final CountDownLatch verifying = new CountDownLatch(1);

	@Override
	protected MqttBrokerSettings settings() {
		this.budget = MemoryBudget.of(MEMORY);
		Authenticator slow = new SlowAuthenticator();
		return new MqttBrokerSettings("localhost", 0, MAX_PACKET_SIZE).withSecurity(new MqttSecurity(
				List.of(new Account("ada", "secret"), slow), AnonymousAccess.NONE, MqttSecurity.NONE.authorizer()));
	}

	@ParameterizedTest
	@ValueSource(ints = { RawPacket.MQTT_5, RawPacket.MQTT_3_1_1 })
	void holdsPacketsUntilLoginIsVerified(int version) throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			RawConnect connect = RawConnect.of("c1").version(version).login("slow", "right");
			sendConnect(client, connect);
			List<RawPublish> sent = new ArrayList<>();
			for (int i = 0; i < 300; i++) {
				sent.add(client.publish("t", 1, i + "x".repeat(1000)));
			}
			client.send(sent.toArray(RawPacket[]::new));
			this.verifying.await();
			assertThat(this.server.events).isEmpty();
			this.verification.countDown();
			assertThat(client.receiveReason(PacketType.CONNACK)).isZero();
			for (RawPublish publish : sent) {
				assertThat(client.receive(PacketType.PUBACK).packetId()).isEqualTo(publish.packetId);
			}
		}
	}

	@Test
	void holdsPacketsInSamePieceAsConnect() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			RawConnect connect = RawConnect.of("c1").login("slow", "right");
			client.send(connect, request(client, "first", "clients/c1/a"), request(client, "second", "clients/c1/a"));
			this.verifying.await();
			this.verification.countDown();
			assertThat(client.receiveReason(PacketType.CONNACK)).isZero();
			client.receive(PacketType.PUBACK);
			client.receive(PacketType.PUBACK);
			assertThat(this.server.requests).extracting((request) -> request.payload().toUtf8())
				.containsExactly("first", "second");
		}
	}

	@Test
	void servesOtherClientsWhileVerifying() throws Exception {
		try (RawMqttConnection waiting = new RawMqttConnection(this.broker.port());
				RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			waiting.send(RawConnect.of("c1").login("slow", "right"));
			this.verifying.await();
			assertThat(client.connect(RawConnect.of("c2").login("ada", "secret")).reason()).isZero();
			assertThat(this.server.events).containsExactly("+c2");
		}
	}

	@Test
	void releasesMemoryOfClientThatLeftBeforeLogin() throws Exception {
		long before = this.budget.used();
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.send(RawConnect.of("c1").login("slow", "right"));
			this.verifying.await();
		}
		this.verification.countDown();
		await().until(() -> this.budget.used() == before);
	}

	@Test
	void waitingLoginsUseOnlyPartOfMemory() throws Exception {
		List<RawMqttConnection> waiting = new ArrayList<>();
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect(RawConnect.of("good").login("ada", "secret"));
			long before = this.budget.used();
			for (int i = 0; i < 40; i++) {
				RawMqttConnection login = new RawMqttConnection(this.broker.port());
				waiting.add(login);
				login.send(withLargeWill("c" + i));
			}
			this.verifying.await();
			await().until(() -> this.broker.logins().refused() > 0);
			assertThat(this.budget.refused(MemoryUse.CONNECTION)).isZero();
			await().until(() -> this.budget.used() - before <= MEMORY / 16);
			RawPublish message = client.publish("t", 1, "x".repeat(90_000));
			client.send(message);
			assertThat(client.receive(PacketType.PUBACK).packetId()).isEqualTo(message.packetId);
		}
		finally {
			for (RawMqttConnection login : waiting) {
				login.close();
			}
		}
	}

	@Test
	void releasesMemoryBeforeDelayedRefusal() throws Exception {
		long before = this.budget.used();
		List<RawMqttConnection> refused = new ArrayList<>();
		try {
			// The last refusal is delayed by 8 seconds.
			for (int i = 0; i < 5; i++) {
				RawMqttConnection login = new RawMqttConnection(this.broker.port());
				refused.add(login);
				login.send(RawConnect.of("c" + i).login("slow", "wrong"));
			}
			this.verifying.await();
			assertThat(this.budget.used()).isGreaterThan(before);
			this.verification.countDown();
			await().until(() -> this.budget.used() == before);
			assertThat(this.broker.connections().open()).isPositive();
		}
		finally {
			for (RawMqttConnection login : refused) {
				login.close();
			}
		}
	}

	@Test
	void stopsWhileVerifying() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.send(RawConnect.of("c1").login("slow", "right"));
			this.verifying.await();
			this.broker.close();
			client.assertClosed();
		}
	}

	@Test
	void stopsWhileRefusalIsDelayed() throws Exception {
		this.verification.countDown();
		List<RawMqttConnection> refused = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			RawMqttConnection login = new RawMqttConnection(this.broker.port());
			refused.add(login);
			login.send(RawConnect.of("c" + i).login("slow", "wrong"));
		}
		await().until(() -> this.broker.logins().refused() == 5);
		this.broker.close();
		for (RawMqttConnection login : refused) {
			login.close();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "ada", "slow", "unknown", "" })
	void delaysRefusalsForKnownAndUnknownNames(String user) throws Exception {
		this.verification.countDown();
		long start = System.nanoTime();
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect(RawConnect.of("c1").login(user, "wrong")).reason()).isEqualTo(0x86);
			client.assertClosed();
		}
		assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(450));
	}

	@Test
	void refusesUnknownMethodWithoutDelay() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect(RawConnect.of("c1", PropertyType.AUTHENTICATION_METHOD.of("SCRAM-SHA-256")))
				.reason()).isEqualTo(0x8C);
		}
	}

	@Test
	void reportsAuthenticatorFailure() throws Exception {
		this.verification.countDown();
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect(RawConnect.of("c1").login("slow", "fail")).reason()).isEqualTo(0x88);
		}
	}

	@Test
	void reportsCheckedExceptionFromAuthenticator() throws Exception {
		this.verification.countDown();
		try (CapturedLog log = new CapturedLog("io.statestore.broker.login", Level.ERROR)) {
			for (int i = 0; i < 3; i++) {
				try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
					assertThat(client.connect(RawConnect.of("c\u0085").login("slow", "checked")).reason())
						.isEqualTo(0x88);
				}
			}
			assertThat(log.messages()).singleElement()
				.asString()
				.contains("c\\u0085", "no\\u000Aforged line")
				.doesNotContain("\n");
		}
	}

	@Test
	void acceptsCorrectPasswordDespiteWaitingRefusals() throws Exception {
		this.verification.countDown();
		List<RawMqttConnection> wrong = new ArrayList<>();
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			for (int i = 0; i < 64; i++) {
				RawMqttConnection login = new RawMqttConnection(this.broker.port());
				wrong.add(login);
				login.send(RawConnect.of("c" + i).login("slow", "wrong"));
			}
			await().until(() -> this.broker.logins().refused() == 64);
			assertThat(client.connect(RawConnect.of("good").login("slow", "right")).reason()).isZero();
		}
		finally {
			for (RawMqttConnection login : wrong) {
				login.close();
			}
		}
	}

	@Test
	void acceptsManySimultaneousClientsOfOneUser() throws Exception {
		List<RawMqttConnection> clients = new ArrayList<>();
		try {
			for (int i = 0; i < 100; i++) {
				RawMqttConnection client = new RawMqttConnection(this.broker.port());
				clients.add(client);
				client.send(RawConnect.of("c" + i).login("slow", "right"));
			}
			await().until(() -> this.budget.used(MemoryUse.LOGIN) >= 100 * 4096);
			this.verification.countDown();
			for (RawMqttConnection client : clients) {
				assertThat(client.receiveReason(PacketType.CONNACK)).isZero();
			}
		}
		finally {
			for (RawMqttConnection client : clients) {
				client.close();
			}
		}
	}

	@Test
	void waitingLoginsDoNotBlockOtherAddresses() throws Exception {
		List<RawMqttConnection> flood = new ArrayList<>();
		Socket socket = new Socket();
		socket.bind(new InetSocketAddress("127.0.0.2", 0));
		try (RawMqttConnection client = new RawMqttConnection(socket, this.broker.port())) {
			for (int i = 0; i < 40; i++) {
				RawMqttConnection login = new RawMqttConnection(this.broker.port());
				flood.add(login);
				login.send(withLargeWill("c" + i));
			}
			await().until(() -> this.broker.logins().refused() > 0);
			long refused = this.broker.logins().refused();
			// Does not fit into the rest of the queue, whether or not the flood has
			// ended.
			client.send(withLargeWill("good", "right"));
			await().until(() -> this.broker.logins().refused() > refused);
			this.verification.countDown();
			assertThat(client.receiveReason(PacketType.CONNACK)).isZero();
		}
		finally {
			for (RawMqttConnection login : flood) {
				login.close();
			}
		}
	}

	@Test
	void countsLoginsRefusedForLackOfMemory() throws Exception {
		try (ClientShare share = this.budget.open();
				RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			share.reserve(MemoryUse.OUTGOING, MEMORY);
			assertThat(client.connect(RawConnect.of("c1").login("slow", "right")).reason()).isEqualTo(0x97);
			assertThat(this.budget.refused(MemoryUse.LOGIN)).isOne();
			assertThat(this.broker.logins().refused()).isOne();
		}
	}

	private static RawConnect withLargeWill(String clientId) {
		return withLargeWill(clientId, "wrong");
	}

	private static RawConnect withLargeWill(String clientId, String password) {
		return RawConnect.of(clientId).login("slow", password).will(RawPublish.of((will) -> {
			will.topic = "will";
			will.payload = new byte[30_000];
		}));
	}

	@SuppressWarnings("unchecked") // Kotlin code may throw any exception.
	private static <T extends Throwable> void throwUnchecked(Throwable failure) throws T {
		throw (T) failure;
	}

	@Test
	void countsLoginsAndRefusals() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port());
				RawMqttConnection refused = new RawMqttConnection(this.broker.port())) {
			client.connect(RawConnect.of("c1").login("ada", "secret"));
			refused.connect(RawConnect.of("c2"));
		}
		assertThat(this.broker.logins().accepted()).isOne();
		assertThat(this.broker.logins().refused()).isOne();
	}

	/** Sends a CONNECT so that later packets are encoded for its version. */
	private static void sendConnect(RawMqttConnection client, RawConnect connect) throws Exception {
		client.send(connect);
	}

	/** Waits for the test before verifying the user "slow". */
	private final class SlowAuthenticator implements Authenticator {

		@Override
		public @Nullable Authentication authenticate(Credentials credentials) throws AuthenticationException {
			if (!"slow".equals(credentials.userName())) {
				return null;
			}
			LoginTests.this.verifying.countDown();
			try {
				if (!LoginTests.this.verification.await(20, TimeUnit.SECONDS)) {
					throw new AuthenticationException("the test did not continue");
				}
			}
			catch (InterruptedException ex) {
				throw new AuthenticationException("interrupted");
			}
			String password = new String(Objects.requireNonNull(credentials.password()), StandardCharsets.UTF_8);
			if (password.equals("fail")) {
				throw new IllegalStateException("as the test wants");
			}
			if (password.equals("checked")) {
				LoginTests.<RuntimeException>throwUnchecked(new IOException("no\nforged line"));
			}
			if (!password.equals("right")) {
				throw new AuthenticationException("wrong password");
			}
			return Authentication.of("slow");
		}

	}

}
