package io.statestore.broker.mqtt;

import java.io.IOException;
import java.util.List;
import java.util.UUID;

import ch.qos.logback.classic.Level;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.security.Permissions;
import io.statestore.protocol.Bytes;
import io.statestore.test.CapturedLog;
import io.statestore.test.PacketType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/** Authorizers that throw exceptions. */
@Isolated("captures the log")
class FailingAuthorizerTests extends MqttBrokerTest {

	private static final Client CLIENT = new Client("c1", ClientPrincipal.ANONYMOUS);

	@Override
	protected MqttBrokerSettings settings() {
		return new MqttBrokerSettings("localhost", 0, MAX_PACKET_SIZE)
			.withSecurity(new MqttSecurity(List.of(), AnonymousAccess.ALL, (client) -> {
				fail(client.clientId());
				return client.clientId().equals("decides nothing") ? new FailingPermissions("error") : Permissions.ALL;
			}));
	}

	@ParameterizedTest
	@CsvSource({ RawPacket.MQTT_5 + ", 0x88, unchecked", RawPacket.MQTT_3_1_1 + ", 3, unchecked",
			RawPacket.MQTT_5 + ", 0x88, checked", RawPacket.MQTT_5 + ", 0x88, error" })
	void refusesClientWithoutPermissions(int version, String reason, String failure) throws Exception {
		try (CapturedLog log = new CapturedLog(AuditLog.LOGGER, Level.INFO);
				RawMqttConnection client = new RawMqttConnection(this.broker.port());
				RawMqttConnection other = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect(RawConnect.of(failure).version(version)).reason())
				.isEqualTo(Integer.decode(reason));
			client.assertClosed();
			assertThat(log.messages()).containsExactly("event=login-failed principal=anonymous client=\"" + failure
					+ "\" address=127.0.0.1 reason=\"the authorizer failed\"");
			assertThat(other.connect(RawConnect.of("works")).reason()).isZero();
		}
	}

	@Test
	void continuesWhenPermissionCheckFailsWithError() throws Exception {
		try (RawMqttConnection client = client("decides nothing"); RawMqttConnection other = client("works")) {
			client.send(client.publish("topic", 1, "denied"));
			assertThat(client.receiveReason(PacketType.PUBACK)).isEqualTo(0x87);
			client.send(client.subscribe("topic", 1));
			assertThat(client.receive(PacketType.SUBACK).reasons()).containsExactly(0x87);
			other.ping();
		}
	}

	@Test
	void logsAuthorizerFailureOnOneLineOncePerInterval() throws Exception {
		String clientId = "error\nforged " + UUID.randomUUID();
		try (CapturedLog log = new CapturedLog(ClientAdmission.class.getName(), Level.INFO)) {
			for (int i = 0; i < 3; i++) {
				try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
					assertThat(client.connect(clientId).reason()).isEqualTo(0x88);
				}
			}
			assertThat(log.messages()).filteredOn((message) -> message.contains("permissions"))
				.hasSizeLessThanOrEqualTo(1)
				.noneMatch((message) -> message.contains("\n"));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "unchecked", "checked", "error" })
	void deniesRequestIfPermissionsFailToDecide(String failure) {
		Permissions permissions = GuardedPermissions.of(CLIENT, new FailingPermissions(failure));
		Bytes key = Bytes.of("key");
		assertThat(permissions.mayRead(key)).isFalse();
		assertThat(permissions.mayRead(key, (steps) -> {
		})).isFalse();
		assertThat(permissions.mayWrite(key)).isFalse();
		assertThat(permissions.maySubscribe("topic")).isFalse();
		assertThat(permissions.mayPublish("topic")).isFalse();
		assertThat(permissions.mayAdminister()).isFalse();
	}

	@Test
	void doesNotWrapUnrestrictedPermissions() {
		assertThat(GuardedPermissions.of(CLIENT, Permissions.ALL)).isSameAs(Permissions.ALL);
	}

	@Test
	void rejectsMissingPermissions() {
		assertThatNullPointerException().isThrownBy(() -> GuardedPermissions.of(CLIENT, missing()))
			.withMessageContaining("authorizer");
	}

	@SuppressWarnings("NullAway")
	private static Permissions missing() {
		@Nullable Permissions missing = null;
		return missing;
	}

	/** Fails in the way that the beginning of a name selects. */
	private static void fail(String name) {
		if (name.startsWith("unchecked")) {
			throw new IllegalStateException("as the test wants: " + name);
		}
		if (name.startsWith("checked")) {
			throw FailingAuthorizerTests.<RuntimeException>undeclared(new IOException("as the test wants: " + name));
		}
		if (name.startsWith("error")) {
			throw new StackOverflowError("as the test wants: " + name);
		}
	}

	/** Throws a checked exception without declaring it, as Kotlin does. */
	@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" })
	private static <T extends Throwable> RuntimeException undeclared(Throwable failure) throws T {
		throw (T) failure;
	}

	private record FailingPermissions(String failure) implements Permissions {

		@Override
		public boolean mayRead(Bytes key) {
			fail(this.failure);
			return true;
		}

		@Override
		public boolean mayWrite(Bytes key) {
			fail(this.failure);
			return true;
		}

		@Override
		public boolean maySubscribe(String filter) {
			fail(this.failure);
			return true;
		}

		@Override
		public boolean mayPublish(String topic) {
			fail(this.failure);
			return true;
		}

		@Override
		public boolean mayAdminister() {
			fail(this.failure);
			return true;
		}

	}

}
