package io.statestore.benchmarks;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.datatypes.Mqtt5UserProperties;
import io.statestore.protocol.Topics;
import io.statestore.protocol.UserProperties;
import org.jspecify.annotations.Nullable;

/**
 * Minimal caller with the HiveMQ client: sends a fixed request and finds its reply.
 */
final class BareHiveMqCaller implements Caller {

	private final Map<ByteBuffer, CompletableFuture<Void>> pending = new ConcurrentHashMap<>();

	private final AtomicLong count = new AtomicLong();

	private final byte[] request;

	private final Mqtt5UserProperties properties;

	private final Mqtt5AsyncClient client;

	private final String responseTopic;

	BareHiveMqCaller(int port, byte[] request, @Nullable String timestamp) {
		this.request = request;
		this.properties = (timestamp != null)
				? Mqtt5UserProperties.builder().add(UserProperties.TIMESTAMP, timestamp).build()
				: Mqtt5UserProperties.of();
		String clientId = "bare-" + UUID.randomUUID();
		this.responseTopic = Topics.response(clientId);
		this.client = Mqtt5Client.builder().identifier(clientId).serverHost("127.0.0.1").serverPort(port).buildAsync();
		this.client.connect().join();
		this.client.publishes(MqttGlobalPublishFilter.ALL, (publish) -> {
			CompletableFuture<Void> reply = this.pending.remove(publish.getCorrelationData().orElseThrow());
			if (reply != null) {
				reply.complete(null);
			}
		});
		this.client.subscribeWith().topicFilter(this.responseTopic).qos(MqttQos.AT_LEAST_ONCE).send().join();
	}

	@Override
	public CompletableFuture<?> call() {
		ByteBuffer correlation = ByteBuffer.allocate(16).putLong(0, this.count.incrementAndGet());
		CompletableFuture<Void> reply = new CompletableFuture<>();
		this.pending.put(correlation, reply);
		this.client.publishWith()
			.topic(Topics.REQUEST)
			.qos(MqttQos.AT_LEAST_ONCE)
			.payload(this.request)
			.responseTopic(this.responseTopic)
			.correlationData(correlation.duplicate())
			.userProperties(this.properties)
			.send();
		return reply;
	}

	@Override
	public void close() {
		this.client.disconnect().join();
	}

}
