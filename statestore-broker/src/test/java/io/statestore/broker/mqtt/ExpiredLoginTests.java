package io.statestore.broker.mqtt;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.Authentication;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.security.TokenAuthenticator;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawProperty;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Logins whose authentication expires before the connection is accepted. */
class ExpiredLoginTests extends MqttBrokerTest {

	private final HeldSessionLog log = new HeldSessionLog();

	@Override
	protected MqttBroker start(MqttBrokerSettings settings) {
		return MqttBroker.start(settings, this.server, this.budget, this.log);
	}

	/** The token is the number of milliseconds until it expires. */
	@Override
	protected MqttBrokerSettings settings() {
		TokenAuthenticator authenticator = new TokenAuthenticator((token) -> new Authentication(
				ClientPrincipal.of("ada"), Instant.now().plusMillis(Long.parseLong(token))));
		return new MqttBrokerSettings("localhost", 0, MAX_PACKET_SIZE).withSecurity(
				new MqttSecurity(List.of(authenticator), AnonymousAccess.NONE, MqttSecurity.NONE.authorizer()));
	}

	@Test
	void refusesExpiredAuthentication() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect("c1", token("-1")).reason()).isEqualTo(0x86);
		}
		assertThat(this.broker.logins().accepted()).isZero();
	}

	@Test
	void receivesConnackBeforeDisconnect() throws Exception {
		this.log.hold();
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.send(RawConnect.of("c1", token("500")));
			await("the change").until(() -> this.log.heldChanges() == 1);
			Instant expired = Instant.now().plusMillis(500);
			await("expiry").until(() -> Instant.now().isAfter(expired));
			this.log.release();
			assertThat(client.receiveReason(PacketType.CONNACK)).isZero();
			assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x87);
			client.assertClosed();
		}
	}

	private static RawProperty[] token(String token) {
		return new RawProperty[] { PropertyType.SESSION_EXPIRY_INTERVAL.of(100),
				PropertyType.AUTHENTICATION_METHOD.of("K8S-SAT"),
				PropertyType.AUTHENTICATION_DATA.of(token.getBytes(StandardCharsets.UTF_8)) };
	}

}
