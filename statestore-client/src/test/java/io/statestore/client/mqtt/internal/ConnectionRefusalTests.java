package io.statestore.client.mqtt.internal;

import java.time.Duration;

import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.statestore.client.StateStoreException;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.ConnectionOptions.EnhancedAuthentication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Messages about connections that the broker refuses or ends. */
@Timeout(30)
@Isolated("captures the log")
class ConnectionRefusalTests extends ConnectionFixture {

	private void refuse(int reasonCode, ConnectionOptions.Builder options, ConnectionDiagnosis diagnosis) {
		this.broker.connectReturnCode = MqttConnectReturnCode.valueOf((byte) reasonCode);
		MqttConnection connection = connection(options.startTimeout(Duration.ZERO));
		connection.start();
		await("the refusal").until(() -> this.log.contains(diagnosis.nextStep()));
		assertThat(this.log.messages()).anySatisfy((message) -> assertThat(message).contains(diagnosis.cause() + ": ",
				"(0x" + Integer.toHexString(reasonCode) + ")", diagnosis.nextStep()));
		assertThat(connection.status().problem()).contains(diagnosis.nextStep());
	}

	@ParameterizedTest
	@CsvSource({ "0x84, NOT_MQTT_5", "0x85, CLIENT_ID_REFUSED", "0x86, LOGIN_REFUSED", "0x87, NOT_AUTHORIZED",
			"0x88, BROKER_BUSY", "0x89, BROKER_BUSY", "0x8A, BANNED", "0x8C, AUTHENTICATION_REFUSED",
			"0x95, CONNECT_TOO_LARGE", "0x97, LIMIT_REACHED", "0x9C, OTHER_SERVER", "0x9D, OTHER_SERVER",
			"0x9F, TOO_MANY_CONNECTS", "0x80, REFUSED" })
	void namesNextStepAfterRefusal(int reasonCode, ConnectionDiagnosis diagnosis) {
		refuse(reasonCode, this.broker.options().username("ada").password("secret"), diagnosis);
		assertThat(this.log.messages()).noneMatch((message) -> message.contains("secret"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", "SSH-2.0-OpenSSH_9.6\r\n",
			"-ERR unknown command\r\n", "220 mail.example.com ESMTP\r\n", "J\0\0\0\n8.0.36\0" })
	void namesPortOfOtherProtocol(String answer) {
		try (UselessHost host = UselessHost.answering(answer)) {
			connection(this.broker.options().port(host.port()).startTimeout(Duration.ZERO)).start();
			await("the warning").until(() -> this.log.contains("No connection to"));
			assertThat(this.log.messages()).anySatisfy((message) -> assertThat(message).contains("No connection to",
					ConnectionDiagnosis.NOT_MQTT.cause(), ConnectionDiagnosis.NOT_MQTT.nextStep()));
		}
	}

	@ParameterizedTest
	@CsvSource({ "0x86", "0x87" })
	void asksForLoginWithoutCredentials(int reasonCode) {
		refuse(reasonCode, this.broker.options(), ConnectionDiagnosis.LOGIN_REQUIRED);
	}

	@ParameterizedTest
	@CsvSource({ "0x86", "0x87" })
	void namesRefusedTokenBesideUserName(int reasonCode) {
		refuse(reasonCode,
				this.broker.options()
					.username("ada")
					.authentication(new EnhancedAuthentication("K8S-SAT", "secret"::getBytes)),
				ConnectionDiagnosis.TOKEN_REFUSED);
	}

	@ParameterizedTest
	@CsvSource({ "0x86", "0x87" })
	void namesRefusedToken(int reasonCode) {
		refuse(reasonCode,
				this.broker.options().authentication(new EnhancedAuthentication("K8S-SAT", "secret"::getBytes)),
				ConnectionDiagnosis.TOKEN_REFUSED);
	}

	@ParameterizedTest
	@CsvSource({ "0x87, LOGIN_ENDED", "0x97, LIMIT_REACHED", "0x9F, TOO_MANY_CONNECTS" })
	void namesNextStepAfterDisconnect(int reasonCode, ConnectionDiagnosis diagnosis) {
		connection().start();
		this.broker.send(MqttMessageBuilders.disconnect().reasonCode((byte) reasonCode).build());
		await("the warning").until(() -> this.log.contains("Lost connection"));
		assertThat(this.log.messages()).anySatisfy((message) -> assertThat(message).contains("Lost connection",
				"(0x" + Integer.toHexString(reasonCode) + ")", diagnosis.nextStep()));
	}

	@Test
	void namesNextStepAfterDisconnectWhileSubscribing() {
		this.broker.onSubscribe = (filter) -> {
			this.broker.later(() -> this.broker.clients
				.writeAndFlush(MqttMessageBuilders.disconnect().reasonCode((byte) 0x87).build()));
			return -1;
		};
		MqttConnection connection = connection(this.broker.options().startTimeout(Duration.ZERO));
		new Calls(connection);
		connection.start();
		await("the next attempt").until(() -> this.broker.connects.size() > 1);
		assertThat(this.log.messages())
			.anySatisfy((message) -> assertThat(message).contains(ConnectionDiagnosis.LOGIN_ENDED.nextStep()));
	}

	@Test
	void keepsMessageOfUnreadablePassword() {
		MqttConnection connection = connection(
				this.broker.options().username("ada").startTimeout(Duration.ZERO).passwordFrom(() -> {
					throw new StateStoreException("Cannot read the file 'p'. Create it", new RuntimeException("p"));
				}));
		connection.start();
		await("the message").until(() -> this.log.contains("Cannot read the file 'p'. Create it"));
		assertThat(connection.status().problem()).contains("Create it").doesNotContain("firewall");
	}

}
