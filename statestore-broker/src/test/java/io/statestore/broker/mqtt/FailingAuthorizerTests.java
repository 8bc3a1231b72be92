package io.statestore.broker.mqtt;

import java.util.List;

import ch.qos.logback.classic.Level;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.security.Permissions;
import io.statestore.protocol.Bytes;
import io.statestore.test.CapturedLog;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/** Authorizers that throw exceptions. */
class FailingAuthorizerTests extends MqttBrokerTest {

	private static final Client CLIENT = new Client("c1", ClientPrincipal.ANONYMOUS);

	@Override
	protected MqttBrokerSettings settings() {
		return new MqttBrokerSettings("localhost", 0, MAX_PACKET_SIZE)
			.withSecurity(new MqttSecurity(List.of(), AnonymousAccess.ALL, (client) -> {
				if (client.clientId().equals("fails")) {
					throw new IllegalStateException("as the test wants");
				}
				return Permissions.ALL;
			}));
	}

	@ParameterizedTest
	@CsvSource({ RawPacket.MQTT_5 + ", 0x88", RawPacket.MQTT_3_1_1 + ", 3" })
	void refusesClientWithoutPermissions(int version, String reason) throws Exception {
		try (CapturedLog log = new CapturedLog(AuditLog.LOGGER, Level.INFO);
				RawMqttConnection client = new RawMqttConnection(this.broker.port());
				RawMqttConnection other = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect(RawConnect.of("fails").version(version)).reason())
				.isEqualTo(Integer.decode(reason));
			client.assertClosed();
			assertThat(log.messages()).containsExactly("event=login-failed principal=anonymous client=\"fails\" "
					+ "address=127.0.0.1 reason=\"the authorizer failed\"");
			assertThat(other.connect(RawConnect.of("works")).reason()).isZero();
		}
	}

	@Test
	void deniesWhatPermissionsFailToDecide() {
		Permissions permissions = GuardedPermissions.of(CLIENT, new FailingPermissions());
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
	void guardsNoPermissionToDoEverything() {
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

	private static final class FailingPermissions implements Permissions {

		@Override
		public boolean mayRead(Bytes key) {
			throw new IllegalStateException("as the test wants");
		}

		@Override
		public boolean mayWrite(Bytes key) {
			throw new IllegalStateException("as the test wants");
		}

		@Override
		public boolean maySubscribe(String filter) {
			throw new IllegalStateException("as the test wants");
		}

		@Override
		public boolean mayPublish(String topic) {
			throw new IllegalStateException("as the test wants");
		}

		@Override
		public boolean mayAdminister() {
			throw new IllegalStateException("as the test wants");
		}

	}

}
