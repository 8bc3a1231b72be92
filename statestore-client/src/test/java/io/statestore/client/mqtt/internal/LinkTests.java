package io.statestore.client.mqtt.internal;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.netty.handler.codec.mqtt.MqttProperties.UserProperty;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.TestedTransport;
import io.statestore.client.mqtt.internal.Link.LinkMessage;
import io.statestore.protocol.Topics;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.statestore.protocol.UserProperties.LEADER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Contract of the links of each transport. */
@Timeout(30)
class LinkTests {

	private final FakeBroker broker = new FakeBroker();

	@AfterEach
	void close() {
		this.broker.close();
	}

	private static Link open(ConnectionOptions.Builder options) {
		return LinkOpener.of(TestedTransport.TRANSPORT).open(Attempts.of(options.build()), (message) -> {
		});
	}

	// A late CONNECT could arrive after that of the next link, and end that link.
	@Test
	void closesAtOnceWhileConnecting() throws Exception {
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
	void acceptsNoMessageAfterLoss() throws Exception {
		Link link = open(this.broker.options());
		link.accepted().get(10, TimeUnit.SECONDS);
		this.broker.drop();
		link.lost().get(10, TimeUnit.SECONDS);
		assertThat(link.publish(new LinkMessage(Topics.REQUEST, new byte[0]), (code) -> {
		})).isEqualTo(Link.Submission.NOT_CONNECTED);
		link.close();
	}

	// The adapters may use a link until its loss is reported.
	@Test
	void closedPahoLinkRefusesRequests() throws Exception {
		PahoLink link = PahoLink.open(Attempts.of(this.broker.options().build()), (message) -> {
		});
		link.accepted().get(10, TimeUnit.SECONDS);
		this.broker.drop();
		link.lost().get(10, TimeUnit.SECONDS);
		link.close();
		await().untilAsserted(() -> {
			assertThatExceptionOfType(MqttException.class)
				.isThrownBy(() -> link.unsubscribe(new String[] { "a" }, null, null, new MqttProperties()));
			assertThatExceptionOfType(MqttException.class).isThrownBy(() -> link
				.subscribe(new MqttSubscription[] { new MqttSubscription("a", 1) }, null, null, new MqttProperties()));
		});
	}

	@Test
	void returnsLeaderOfConnAck() throws Exception {
		for (UserProperty property : List.of(new UserProperty("other", "x"), new UserProperty(LEADER, "a.local:1883"),
				new UserProperty(LEADER, "b.local:1883"))) {
			this.broker.connAckProperties.add(property);
		}
		Link link = open(this.broker.options());
		link.accepted().get(10, TimeUnit.SECONDS);
		assertThat(link.leader()).isEqualTo("a.local:1883");
		assertThat(link.serverReference()).isNull();
		link.close();
	}

	@Test
	void hasNoLeaderByDefault() throws Exception {
		this.broker.connAckProperties.add(new UserProperty("other", "x"));
		Link link = open(this.broker.options());
		link.accepted().get(10, TimeUnit.SECONDS);
		assertThat(link.leader()).isNull();
		link.close();
	}

}
