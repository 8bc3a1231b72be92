package io.statestore.broker.mqtt;

import java.util.List;

import ch.qos.logback.classic.Level;
import io.statestore.broker.security.Account;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.AuditLog;
import io.statestore.test.CapturedLog;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;

/** Lines about logins in the audit log. */
@Isolated("captures the log")
class LoginAuditTests extends MqttBrokerTest {

	@Override
	protected MqttBrokerSettings settings() {
		return new MqttBrokerSettings("localhost", 0, MAX_PACKET_SIZE)
			.withSecurity(new MqttSecurity(List.of(new Account("ada", "a"), new Account("bob", "b")),
					AnonymousAccess.ALL, (client) -> new PublishPermissions(() -> false)));
	}

	@Test
	void reportsClientIdOwnedByAnotherUser() throws Exception {
		try (CapturedLog log = new CapturedLog(AuditLog.LOGGER, Level.INFO);
				RawMqttConnection owner = new RawMqttConnection(this.broker.port());
				RawMqttConnection other = new RawMqttConnection(this.broker.port());
				RawMqttConnection anonymous = new RawMqttConnection(this.broker.port())) {
			assertThat(owner.connect(RawConnect.of("c1").login("ada", "a")).reason()).isZero();
			assertThat(other.connect(RawConnect.of("c1").login("bob", "b")).reason()).isEqualTo(0x85);
			assertThat(anonymous.connect(RawConnect.of("c1")).reason()).isEqualTo(0x85);
			String refused = " client=\"c1\" address=127.0.0.1 reason=\"client id of another user\"";
			assertThat(log.messages()).containsExactly("event=login principal=\"ada\" client=\"c1\" address=127.0.0.1",
					"event=login-failed principal=\"bob\"" + refused,
					"event=login-failed principal=anonymous" + refused);
		}
		assertThat(this.broker.logins().accepted()).isOne();
		assertThat(this.broker.logins().refused()).isEqualTo(2);
	}

	@Test
	void reportsNoLoginIfWillIsDenied() throws Exception {
		try (CapturedLog log = new CapturedLog(AuditLog.LOGGER, Level.INFO);
				RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect(RawConnect.of("c1").login("ada", "a").will("denied")).reason()).isEqualTo(0x87);
			assertThat(log.messages()).hasSize(2)
				.anyMatch((line) -> line.startsWith("event=denied"))
				.contains("event=login-failed principal=\"ada\" client=\"c1\" address=127.0.0.1 "
						+ "reason=\"its will is denied\"");
		}
		assertThat(this.broker.logins().accepted()).isZero();
		assertThat(this.broker.logins().refused()).isOne();
	}

}
