package io.statestore.broker.mqtt;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.JavaProcess;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttAsyncClient;
import org.eclipse.paho.mqttv5.client.MqttCallback;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.eclipse.paho.mqttv5.client.MqttDisconnectResponse;
import org.eclipse.paho.mqttv5.client.persist.MemoryPersistence;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The Paho MQTT client, whose broker is killed and restarted. */
@Tag("long")
class ResumedClientTests {

	private static final long TIMEOUT_MILLIS = 20_000;

	@TempDir
	Path directory;

	private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();

	private JavaProcess broker;

	private int port;

	@BeforeEach
	void startBroker() {
		this.broker = MqttBrokerProcess.start(StorageOptions.in(this.directory), this.port);
		this.port = MqttBrokerProcess.port(this.broker);
	}

	@AfterEach
	void killBroker() {
		this.broker.kill();
	}

	private static MqttConnectionOptions options(boolean cleanStart) {
		MqttConnectionOptions options = new MqttConnectionOptions();
		options.setCleanStart(cleanStart);
		options.setSessionExpiryInterval(3_600L);
		return options;
	}

	@Test
	void continuesWithoutSubscribingAgain() throws Exception {
		MqttAsyncClient client = new MqttAsyncClient("tcp://localhost:" + this.port, "paho", new MemoryPersistence());
		MqttAsyncClient publisher = new MqttAsyncClient("tcp://localhost:" + this.port, "publisher",
				new MemoryPersistence());
		client.connect(options(true)).waitForCompletion(TIMEOUT_MILLIS);
		publisher.connect(options(true)).waitForCompletion(TIMEOUT_MILLIS);
		client.setCallback(new Messages());
		client.subscribe(new MqttSubscription[] { new MqttSubscription("t", 1) }).waitForCompletion(TIMEOUT_MILLIS);
		client.disconnect().waitForCompletion(TIMEOUT_MILLIS);
		publish(publisher, "one");
		killBroker();
		startBroker();
		IMqttToken connected = publisher.connect(options(false));
		connected.waitForCompletion(TIMEOUT_MILLIS);
		assertThat(connected.getSessionPresent()).isTrue();
		publish(publisher, "two");
		connected = client.connect(options(false));
		connected.waitForCompletion(TIMEOUT_MILLIS);
		assertThat(connected.getSessionPresent()).isTrue();
		for (String expected : List.of("one", "two")) {
			assertThat(this.messages.poll(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)).isEqualTo(expected);
		}
		client.disconnect().waitForCompletion(TIMEOUT_MILLIS);
		publisher.disconnect().waitForCompletion(TIMEOUT_MILLIS);
	}

	private static void publish(MqttAsyncClient client, String text) throws Exception {
		client.publish("t", new MqttMessage(text.getBytes(StandardCharsets.UTF_8), 1, false, null))
			.waitForCompletion(TIMEOUT_MILLIS);
	}

	/** Collects the messages. */
	private final class Messages implements MqttCallback {

		@Override
		public void messageArrived(String topic, MqttMessage message) {
			ResumedClientTests.this.messages.add(new String(message.getPayload(), StandardCharsets.UTF_8));
		}

		@Override
		public void disconnected(MqttDisconnectResponse response) {
		}

		@Override
		public void mqttErrorOccurred(MqttException exception) {
		}

		@Override
		public void deliveryComplete(IMqttToken token) {
		}

		@Override
		public void connectComplete(boolean reconnect, String serverUri) {
		}

		@Override
		public void authPacketArrived(int reasonCode, MqttProperties properties) {
		}

	}

}
