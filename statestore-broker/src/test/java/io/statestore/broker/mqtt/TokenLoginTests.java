package io.statestore.broker.mqtt;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.Authentication;
import io.statestore.broker.security.AuthenticationException;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.security.TokenAuthenticator;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawProperty;
import io.statestore.time.TimeSource;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Enhanced authentication on the wire. The token {@code ada 500} expires after 500 ms on
 * the test's clock.
 */
class TokenLoginTests extends MqttBrokerTest {

	private static final int REAUTHENTICATE = 0x19;

	/** The test's clock, which does not advance by itself. */
	private final AtomicLong millis = new AtomicLong(1_000_000_000_000L);

	/** Number of attempts with the token {@code unavailable} that will fail. */
	private final AtomicInteger failures = new AtomicInteger();

	/** The tokens whose verification has begun. */
	private final Queue<String> verified = new ConcurrentLinkedQueue<>();

	/** Holds the verification of the token {@code slow}. */
	private final CountDownLatch slow = new CountDownLatch(1);

	private final List<RawMqttConnection> opened = new ArrayList<>();

	@Override
	protected MqttBrokerSettings settings() {
		return new MqttBrokerSettings("localhost", 0, MAX_PACKET_SIZE)
			.withSecurity(new MqttSecurity(List.of(new TokenAuthenticator(this::verify)), AnonymousAccess.ALL,
					MqttSecurity.NONE.authorizer()))
			.withTime(new TimeSource() {

				@Override
				public long nanoTime() {
					return System.nanoTime();
				}

				@Override
				public long currentTimeMillis() {
					return TokenLoginTests.this.millis.get();
				}

			});
	}

	private Authentication verify(String token) throws AuthenticationException {
		this.verified.add(token);
		String[] parts = token.split(" ");
		if (parts[0].equals("slow")) {
			try {
				this.slow.await();
			}
			catch (InterruptedException ex) {
				throw new AuthenticationException("interrupted");
			}
		}
		if (parts[0].equals("wrong")) {
			throw new AuthenticationException("wrong token");
		}
		if (parts[0].equals("unavailable") && this.failures.getAndDecrement() > 0) {
			throw new IllegalStateException("as the test wants");
		}
		return new Authentication(ClientPrincipal.of(parts[0].equals("unavailable") ? "ada" : parts[0]),
				(parts.length > 1) ? Instant.ofEpochMilli(this.millis.get()).plusMillis(Long.parseLong(parts[1]))
						: null);
	}

	@AfterEach
	void closeConnections() throws Exception {
		this.slow.countDown();
		for (RawMqttConnection connection : this.opened) {
			connection.close();
		}
	}

	@Test
	void acceptsTokenAndReturnsMethod() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			RawControl connack = client.connect("c1", token("K8S-SAT", "ada"));
			assertThat(connack.reason()).isZero();
			assertThat(connack.text(PropertyType.AUTHENTICATION_METHOD)).isEqualTo("K8S-SAT");
			assertThat(this.server.connections).singleElement()
				.extracting((connection) -> connection.principal().name())
				.isEqualTo("ada");
			client.ping();
		}
	}

	/** Refusals take half a second, and longer for later logins with the same id. */
	@Test
	void refusesInvalidTokens() throws Exception {
		List<RawConnect> logins = List.of(RawConnect.of("c1", token("K8S-SAT", "wrong")),
				RawConnect.of("c2", token("K8S-SAT", "")), RawConnect.of("c3", token("K8S-SAT", "x".repeat(20_000))),
				RawConnect.of("c4", PropertyType.AUTHENTICATION_METHOD.of("K8S-SAT")));
		for (RawConnect login : logins) {
			RawMqttConnection client = new RawMqttConnection(this.broker.port());
			this.opened.add(client);
			client.send(login);
		}
		for (RawMqttConnection client : this.opened) {
			assertThat(client.receiveReason(PacketType.CONNACK)).isEqualTo(0x86);
		}
	}

	@Test
	void refusesUnknownMethod() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect("c1", token("K8S-OTHER", "ada")).reason()).isEqualTo(0x8C);
		}
	}

	@Test
	void endsConnectionWhenAuthenticationExpires() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect("c1", token("K8S-SAT", "ada 500")).reason()).isZero();
			this.millis.addAndGet(500);
			assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x87);
			client.assertClosed();
		}
	}

	@Test
	void reauthenticationExtendsConnection() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port());
				RawMqttConnection other = new RawMqttConnection(this.broker.port())) {
			client.connect("c1", token("K8S-SAT", "ada 500"));
			other.connect("c2", token("K8S-SAT", "ada 500"));
			client.send(RawControl.auth(REAUTHENTICATE, token("K8S-SAT", "ada 60000")));
			RawControl auth = client.receive(PacketType.AUTH);
			assertThat(auth.reason()).isZero();
			assertThat(auth.text(PropertyType.AUTHENTICATION_METHOD)).isEqualTo("K8S-SAT");
			this.millis.addAndGet(500);
			assertThat(other.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x87);
			client.ping();
		}
	}

	@Test
	void triesReauthenticationAgainWhileAuthenticatorFails() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("c1", token("K8S-SAT", "ada 60000"));
			this.failures.set(1);
			client.send(RawControl.auth(REAUTHENTICATE, token("K8S-SAT", "unavailable")));
			assertThat(client.receive(PacketType.AUTH).reason()).isZero();
			assertThat(this.failures).hasValue(-1);
			client.ping();
		}
	}

	@Test
	void verifiesNewerTokenWhileAuthenticatorFails() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("c1", token("K8S-SAT", "ada 500"));
			this.failures.set(Integer.MAX_VALUE);
			client.send(RawControl.auth(REAUTHENTICATE, token("K8S-SAT", "unavailable")));
			await("a retry").until(() -> this.failures.get() < Integer.MAX_VALUE - 1);
			client.send(RawControl.auth(REAUTHENTICATE, token("K8S-SAT", "unavailable")),
					RawControl.auth(REAUTHENTICATE, token("K8S-SAT", "ada 60000")));
			assertThat(client.receive(PacketType.AUTH).reason()).isZero();
			this.millis.addAndGet(500);
			client.ping();
		}
	}

	@Test
	void forgetsWaitingTokenWhenConnectionEnds() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port());
				RawMqttConnection other = new RawMqttConnection(this.broker.port())) {
			client.connect("c1", token("K8S-SAT", "ada"));
			other.connect("c2", token("K8S-SAT", "ada"));
			int threads = assertThat(this.broker).extracting("logins.threads.size", InstanceOfAssertFactories.INTEGER)
				.actual();
			for (int i = 0; i < threads; i++) {
				RawMqttConnection slow = new RawMqttConnection(this.broker.port());
				this.opened.add(slow);
				slow.send(RawConnect.of("slow" + i, token("K8S-SAT", "slow")));
			}
			await("busy threads").until(() -> this.verified.size() == 2 + threads);
			client.send(RawControl.auth(REAUTHENTICATE, token("K8S-SAT", "forgotten")));
			client.ping();
			client.close();
			await("the end of the connection").until(() -> this.server.connections.size() == 1);
			this.slow.countDown();
			other.send(RawControl.auth(REAUTHENTICATE, token("K8S-SAT", "ada")));
			assertThat(other.receive(PacketType.AUTH).reason()).isZero();
			assertThat(this.verified).doesNotContain("forgotten");
		}
	}

	@Test
	void endsConnectionThatExpiresWhileAuthenticatorFails() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("c1", token("K8S-SAT", "ada 500"));
			this.failures.set(Integer.MAX_VALUE);
			client.send(RawControl.auth(REAUTHENTICATE, token("K8S-SAT", "unavailable")));
			await().until(() -> this.failures.get() < Integer.MAX_VALUE - 1);
			this.millis.addAndGet(500);
			assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x89);
			client.assertClosed();
		}
	}

	@Test
	void refusesReauthenticationAsAnotherPrincipal() throws Exception {
		assertThat(reasonAfter(RawControl.auth(REAUTHENTICATE, token("K8S-SAT", "bob")))).isEqualTo(0x87);
	}

	@Test
	void refusesReauthenticationWithInvalidToken() throws Exception {
		assertThat(reasonAfter(RawControl.auth(REAUTHENTICATE, token("K8S-SAT", "wrong")))).isEqualTo(0x87);
	}

	@Test
	void refusesChangedMethod() throws Exception {
		assertThat(reasonAfter(RawControl.auth(REAUTHENTICATE, token("OTHER", "ada")))).isEqualTo(0x82);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0x00, 0x18, 0x87 })
	void refusesOtherReasonCodes(int reason) throws Exception {
		assertThat(reasonAfter(RawControl.auth(reason, token("K8S-SAT", "ada")))).isEqualTo(0x82);
	}

	@Test
	void refusesAuthFromClientWithoutMethod() throws Exception {
		try (RawMqttConnection client = client("c1")) {
			client.send(RawControl.auth(REAUTHENTICATE, token("K8S-SAT", "ada")));
			assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x82);
			client.assertClosed();
		}
	}

	@Test
	void refusesAuthFromMqtt3Client() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect(RawConnect.of("c1").version(RawConnect.MQTT_3_1_1));
			client.sendBytes((byte) 0xF0, (byte) 0);
			client.assertClosed();
		}
	}

	private int reasonAfter(RawControl auth) throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("c1", token("K8S-SAT", "ada"));
			client.send(auth);
			int reason = client.receiveReason(PacketType.DISCONNECT);
			client.assertClosed();
			return reason;
		}
	}

	private static RawProperty[] token(String method, String token) {
		return new RawProperty[] { PropertyType.AUTHENTICATION_METHOD.of(method),
				PropertyType.AUTHENTICATION_DATA.of(token.getBytes(StandardCharsets.UTF_8)) };
	}

}
