package io.statestore.broker.conformance;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

import io.statestore.test.RawMqttClient;
import io.statestore.test.RawPublish;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/** A state store client that controls every byte. */
public final class StoreClient implements AutoCloseable {

	public static final String STORE = "statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8";

	public static final String REQUEST_TOPIC = STORE + "/command/invoke";

	private static final HexFormat HEX = HexFormat.of().withUpperCase();

	private final String clientId;

	private final RawMqttClient mqtt;

	public StoreClient(String clientId, RawMqttClient mqtt) {
		this.clientId = clientId;
		this.mqtt = mqtt;
		assertThat(mqtt.subscribe(responseTopic())).isLessThan(0x80);
	}

	public String clientId() {
		return this.clientId;
	}

	public RawMqttClient mqtt() {
		return this.mqtt;
	}

	public String responseTopic() {
		return "clients/" + this.clientId + "/services/statestore/_any_/command/invoke/response";
	}

	public String notificationFilter() {
		return "clients/" + STORE + "/" + hex(this.clientId) + "/command/notify/+";
	}

	public String notificationTopic(Object key) {
		return "clients/" + STORE + "/" + hex(this.clientId) + "/command/notify/" + hex(key);
	}

	public static String hex(Object content) {
		return HEX.formatHex(Resp.bytes(content));
	}

	/** Connects a new client to a local port. */
	public static StoreClient connect(int port, String clientId) {
		return new StoreClient(clientId, RawMqttClient.connect(port, clientId));
	}

	/** Connects a new client to another machine. */
	public static StoreClient connect(InetSocketAddress address, String clientId) {
		return new StoreClient(clientId, RawMqttClient.connect(address, clientId));
	}

	/** Connects and logs in a new client on a local port. */
	public static StoreClient connect(int port, String clientId, String user, String password) {
		return new StoreClient(clientId, RawMqttClient.connect(port, clientId, user, password));
	}

	/** Returns a valid request without sending it. */
	public RawPublish request(byte[] payload) {
		return RawPublish.of((publish) -> {
			publish.topic = REQUEST_TOPIC;
			publish.payload = payload;
			publish.responseTopic = responseTopic();
			publish.correlationData = newCorrelationData();
			publish.messageExpiry = 10L;
			publish.contentType = "application/octet-stream";
			publish.payloadFormat = 0L;
			publish.with("__ts", Hlc.now(0).padded()).with("__protVer", "1.0").with("__srcId", this.clientId);
		});
	}

	public static byte[] newCorrelationData() {
		UUID uuid = UUID.randomUUID();
		return ByteBuffer.allocate(16)
			.putLong(uuid.getMostSignificantBits())
			.putLong(uuid.getLeastSignificantBits())
			.array();
	}

	/** Executes a command and returns its reply. */
	public RawPublish call(Object... elements) {
		return exchange(request(Resp.command(elements)));
	}

	/** Executes a command with user properties and returns its reply. */
	public RawPublish call(Consumer<RawPublish> settings, Object... elements) {
		RawPublish request = request(Resp.command(elements));
		settings.accept(request);
		return exchange(request);
	}

	/** Executes a command with a fencing token and returns its reply. */
	public RawPublish callFenced(Hlc token, Object... elements) {
		return call((request) -> request.with("__ft", token.unpadded()), elements);
	}

	/** Sends a request unchanged and returns its reply. */
	public RawPublish exchange(RawPublish request) {
		int id = this.mqtt.send(request);
		RawPublish reply = reply(request);
		if (request.qos > 0) {
			assertThat(this.mqtt.puback(id)).as("PUBACK of a request that was answered").isZero();
		}
		return reply;
	}

	/** Returns the reply to a sent request. */
	public RawPublish reply(RawPublish request) {
		return this.mqtt.take((message) -> Arrays.equals(message.correlationData, request.correlationData),
				"reply to the request");
	}

	/** Returns the replies to a request that have arrived so far. */
	public List<RawPublish> repliesSoFar(RawPublish request) {
		return this.mqtt.messages((message) -> Arrays.equals(message.correlationData, request.correlationData));
	}

	/** Subscribes to notifications, then watches a key. */
	public void watch(Object key) {
		assertThat(this.mqtt.subscribe(notificationFilter())).isLessThan(0x80);
		assertThat(Resp.text(call("KEYNOTIFY", key))).isEqualTo("+OK⏎");
	}

	/** Waits for the next notification for a key and removes it. */
	public RawPublish notification(Object key) {
		String topic = notificationTopic(key);
		return this.mqtt.take((message) -> message.topic.equals(topic), "notification");
	}

	/**
	 * Returns all notifications for a key that have not been removed. First waits until
	 * everything that the server queued before this call has arrived.
	 */
	public List<RawPublish> notifications(Object key) {
		fence();
		String topic = notificationTopic(key);
		return this.mqtt.messages((message) -> message.topic.equals(topic));
	}

	/**
	 * Makes a round trip. Afterward, all messages that the server queued earlier have
	 * arrived.
	 */
	public void fence() {
		call("GET", "fence-" + UUID.randomUUID());
	}

	/** Returns the keys that match a pattern. */
	public List<String> scan(String pattern) {
		Resp.Page page = Resp.Page.of(call("SCAN", pattern));
		List<String> keys = new ArrayList<>(page.keys());
		while (page.token() != null) {
			page = Resp.Page.of(call("SCAN", pattern, page.token()));
			keys.addAll(page.keys());
		}
		return keys;
	}

	/** Returns the value of a key, or {@code null} if it is absent. */
	@Nullable public String value(Object key) {
		String text = Resp.text(call("GET", key));
		if (text.equals("$-1⏎")) {
			return null;
		}
		assertThat(text).startsWith("$").endsWith("⏎");
		String value = text.substring(text.indexOf('⏎') + 1, text.length() - 1);
		assertThat(text).startsWith("$" + value.getBytes(StandardCharsets.UTF_8).length + "⏎");
		return value;
	}

	@Override
	public void close() {
		this.mqtt.close();
	}

}
