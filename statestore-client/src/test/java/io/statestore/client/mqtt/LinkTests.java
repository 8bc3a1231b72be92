package io.statestore.client.mqtt;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.statestore.protocol.Topics;
import org.eclipse.paho.mqttv5.client.MqttClientException;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What is asked of a connection of either library. */
@Timeout(30)
class LinkTests {

	private final FakeBroker broker = new FakeBroker();

	@AfterEach
	void close() {
		this.broker.close();
	}

	private static Link open(ConnectionOptions.Builder options) throws MqttException {
		return Link.open(options.build(), (topic, message) -> {
		});
	}

	// Otherwise its CONNECT may arrive after that of the next link, and end it.
	@Test
	void hangsUpAtOnceIfClosedWhileItConnects() throws Exception {
		try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			Link link = open(this.broker.options().port(silent.getLocalPort()).connectTimeout(Duration.ofSeconds(20)));
			try (Socket socket = silent.accept()) {
				InputStream connect = socket.getInputStream();
				assertThat(connect.read()).isEqualTo(0x10);
				link.close();
				socket.setSoTimeout(5_000);
				assertThat(connect.readAllBytes()).isNotEmpty();
			}
		}
	}

	@Test
	void takesNoMessageOnceItIsLost() throws Exception {
		Link link = open(this.broker.options());
		link.accepted().get(10, TimeUnit.SECONDS);
		this.broker.drop();
		link.lost().get(10, TimeUnit.SECONDS);
		assertThatExceptionOfType(MqttException.class)
			.isThrownBy(() -> link.publish(Topics.REQUEST, new MqttMessage(new byte[0]), (code) -> {
			}))
			.extracting(MqttException::getReasonCode)
			.isIn((int) MqttClientException.REASON_CODE_CLIENT_NOT_CONNECTED,
					(int) MqttClientException.REASON_CODE_CLIENT_DISCONNECTING,
					(int) MqttClientException.REASON_CODE_CLIENT_CLOSED);
		link.close();
	}

}
