package io.statestore.broker;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.statestore.protocol.Topics;
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
import org.eclipse.paho.mqttv5.common.packet.UserProperty;

/** A minimal state store client that uses the Paho MQTT client. */
final class PahoClient implements AutoCloseable, MqttCallback {

	final BlockingQueue<Received> notifications = new LinkedBlockingQueue<>();

	final BlockingQueue<Integer> disconnects = new LinkedBlockingQueue<>();

	private final BlockingQueue<Received> replies = new LinkedBlockingQueue<>();

	private final MqttAsyncClient client;

	private final String responseTopic;

	private int lastCorrelation;

	PahoClient(String uri, String clientId, boolean cleanStart) throws MqttException {
		this.client = new MqttAsyncClient(uri, clientId, new MemoryPersistence());
		this.client.setCallback(this);
		MqttConnectionOptions options = new MqttConnectionOptions();
		options.setCleanStart(cleanStart);
		options.setSessionExpiryInterval(100L);
		options.setConnectionTimeout(30);
		this.client.connect(options).waitForCompletion(5_000);
		this.responseTopic = Topics.response(clientId);
		this.client.subscribe(new MqttSubscription[] { new MqttSubscription(this.responseTopic, 1) })
			.waitForCompletion(5_000);
	}

	static PahoClient of(StateStoreBroker broker, String clientId) throws MqttException {
		return new PahoClient("tcp://" + broker.host() + ':' + broker.port(), clientId, true);
	}

	/** Sends a command, which is given as words, and waits for the reply. */
	Received call(String... words) throws Exception {
		send(this.responseTopic, words);
		return next(this.replies);
	}

	/** Sends a command with a timestamp and waits for the reply. */
	Received callAt(String timestamp, String... words) throws Exception {
		sendAt(timestamp, this.responseTopic, words);
		return next(this.replies);
	}

	IMqttToken send(String responseTopic, String... words) throws MqttException {
		return sendAt(System.currentTimeMillis() + ":0:test", responseTopic, words);
	}

	private IMqttToken sendAt(String timestamp, String responseTopic, String... words) throws MqttException {
		StringBuilder payload = new StringBuilder("*" + words.length + "\r\n");
		for (String word : words) {
			payload.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
		}
		MqttProperties properties = new MqttProperties();
		properties.setResponseTopic(responseTopic);
		properties.setCorrelationData(("c" + ++this.lastCorrelation).getBytes(StandardCharsets.UTF_8));
		properties.getUserProperties().add(new UserProperty("__ts", timestamp));
		return this.client.publish(Topics.REQUEST,
				new MqttMessage(payload.toString().getBytes(StandardCharsets.UTF_8), 1, false, properties));
	}

	static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
		T next = queue.poll(30, TimeUnit.SECONDS);
		if (next == null) {
			throw new AssertionError("Nothing arrived");
		}
		return next;
	}

	@Override
	public void messageArrived(String topic, MqttMessage message) {
		Received received = new Received(topic, new String(message.getPayload(), StandardCharsets.UTF_8),
				message.getProperties());
		(topic.equals(this.responseTopic) ? this.replies : this.notifications).add(received);
	}

	@Override
	public void disconnected(MqttDisconnectResponse response) {
		this.disconnects.add(response.getReturnCode());
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

	@Override
	public void close() throws MqttException {
		if (this.client.isConnected()) {
			this.client.disconnectForcibly(0, 1_000, false);
		}
		this.client.close(true);
	}

	/** A message that has arrived. */
	record Received(String topic, String payload, MqttProperties properties) {

		String property(String name) {
			return this.properties.getUserProperties()
				.stream()
				.filter((property) -> property.getKey().equals(name))
				.map(UserProperty::getValue)
				.findFirst()
				.orElseThrow(() -> new AssertionError("No property " + name));
		}

	}

}
