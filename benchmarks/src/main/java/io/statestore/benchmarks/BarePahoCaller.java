package io.statestore.benchmarks;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.link.LinkResources;
import io.statestore.client.mqtt.paho.PahoLink;
import io.statestore.protocol.Topics;
import io.statestore.protocol.UserProperties;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.eclipse.paho.mqttv5.common.packet.UserProperty;
import org.jspecify.annotations.Nullable;

/**
 * Minimal caller by Paho on the tuned socket of our client: sends a fixed request and
 * matches its reply.
 */
final class BarePahoCaller {

	private final Map<ByteBuffer, CompletableFuture<Void>> pending = new ConcurrentHashMap<>();

	private final AtomicLong count = new AtomicLong();

	private final byte[] request;

	private final List<UserProperty> userProperties;

	private final Semaphore permits = new Semaphore(1024);

	private final String topic;

	private final String responseTopic;

	private final PahoLink link;

	/**
	 * Connects.
	 * @param request payload of each request
	 * @param timestamp hybrid logical clock of each request, or {@code null} for none
	 */
	BarePahoCaller(int port, byte[] request, @Nullable String timestamp) throws Exception {
		this(ConnectionOptions.builder().host("127.0.0.1").port(port).build(), null, request, timestamp);
	}

	/** Returns a caller whose messages the broker sends back to it. */
	static BarePahoCaller toItself(ConnectionOptions options, byte[] message) throws Exception {
		return new BarePahoCaller(options, "benchmark/" + options.clientId(), message, null);
	}

	/**
	 * Connects.
	 * @param echoTopic topic of messages to itself, or {@code null} for requests
	 */
	private BarePahoCaller(ConnectionOptions options, @Nullable String echoTopic, byte[] request,
			@Nullable String timestamp) throws Exception {
		this.request = request;
		this.topic = (echoTopic != null) ? echoTopic : Topics.REQUEST;
		this.userProperties = (timestamp != null) ? List.of(new UserProperty(UserProperties.TIMESTAMP, timestamp))
				: List.of();
		this.responseTopic = (echoTopic != null) ? echoTopic : Topics.response(options.clientId());
		LinkResources resources = new LinkResources(Executors.defaultThreadFactory(), System::nanoTime);
		this.link = PahoLink.openSession(options, resources, (topic, message) -> {
			CompletableFuture<Void> reply = this.pending
				.remove(ByteBuffer.wrap(message.getProperties().getCorrelationData()));
			if (reply != null) {
				reply.complete(null);
			}
		});
		this.link.accepted().get();
		this.link.subscribe(this.responseTopic).get();
	}

	/** Sends a request, and returns a future that completes with its reply. */
	synchronized CompletableFuture<?> call() {
		byte[] correlation = ByteBuffer.allocate(16).putLong(this.count.incrementAndGet()).array();
		CompletableFuture<Void> reply = new CompletableFuture<>();
		this.pending.put(ByteBuffer.wrap(correlation), reply);
		MqttProperties properties = new MqttProperties();
		properties.setResponseTopic(this.responseTopic);
		properties.setCorrelationData(correlation);
		properties.setUserProperties(this.userProperties);
		this.permits.acquireUninterruptibly();
		try {
			this.link.publish(this.topic, new MqttMessage(this.request, 1, false, properties), null,
					new MqttActionListener() {

						@Override
						public void onSuccess(IMqttToken token) {
							BarePahoCaller.this.permits.release();
						}

						@Override
						public void onFailure(IMqttToken token, Throwable exception) {
							BarePahoCaller.this.permits.release();
							reply.completeExceptionally(exception);
						}

					});
		}
		catch (MqttException ex) {
			reply.completeExceptionally(ex);
		}
		return reply;
	}

	void close() {
		this.link.abort("closed");
		this.link.close();
	}

}
