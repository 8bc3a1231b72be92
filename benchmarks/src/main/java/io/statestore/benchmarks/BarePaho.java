package io.statestore.benchmarks;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.internal.Link;
import io.statestore.client.mqtt.internal.PahoLink;
import io.statestore.client.mqtt.internal.PahoLink.PahoSession;
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
 * Paho on the tuned socket of our client, without our client: the least work that a
 * message takes.
 */
final class BarePaho implements AutoCloseable {

	private final Semaphore permits = new Semaphore(1024);

	private final PahoLink link;

	/**
	 * Connects.
	 * @param topic topic to subscribe to, or {@code null} for none
	 * @param session receives every message, on the network thread
	 */
	BarePaho(ConnectionOptions options, @Nullable String topic, PahoSession session) throws Exception {
		this.link = PahoLink.openSession(new Link.Attempt(options, options.hosts().get(0), options.connectTimeout(),
				null, Executors.defaultThreadFactory()), session);
		this.link.accepted().get();
		if (topic != null) {
			this.link.subscribe(topic).get();
		}
	}

	/** Returns a caller that sends a fixed request and matches its reply. */
	static Caller caller(int port, Calls calls) throws Exception {
		ConnectionOptions options = Client.options(port).build();
		return caller(options, Topics.REQUEST, Topics.response(options.clientId()), calls.request(), calls.timestamp());
	}

	/** Returns a caller whose messages the broker sends back to it. */
	static Caller toItself(ConnectionOptions.Builder builder) throws Exception {
		ConnectionOptions options = builder.build();
		String topic = "benchmark/" + options.clientId();
		return caller(options, topic, topic, new byte[100], null);
	}

	private static Caller caller(ConnectionOptions options, String topic, String responseTopic, byte[] request,
			@Nullable String timestamp) throws Exception {
		Caller.Replies replies = new Caller.Replies();
		BarePaho client = new BarePaho(options, responseTopic,
				(received, message) -> replies.arrived(ByteBuffer.wrap(message.getProperties().getCorrelationData())));
		List<UserProperty> userProperties = (timestamp != null)
				? List.of(new UserProperty(UserProperties.TIMESTAMP, timestamp)) : List.of();
		return Caller.of(() -> replies.request((correlation) -> {
			MqttProperties properties = new MqttProperties();
			properties.setResponseTopic(responseTopic);
			properties.setCorrelationData(correlation);
			properties.setUserProperties(userProperties);
			client.publish(topic, request, properties);
		}), client);
	}

	/** Publishes, and returns a future that completes with the acknowledgment. */
	synchronized CompletableFuture<?> publish(String topic, byte[] payload, MqttProperties properties) {
		CompletableFuture<?> acknowledged = new CompletableFuture<>();
		this.permits.acquireUninterruptibly();
		try {
			this.link.publish(topic, new MqttMessage(payload, 1, false, properties), null, new MqttActionListener() {

				@Override
				public void onSuccess(@Nullable IMqttToken token) {
					BarePaho.this.permits.release();
					acknowledged.complete(null);
				}

				@Override
				public void onFailure(@Nullable IMqttToken token, Throwable exception) {
					BarePaho.this.permits.release();
					acknowledged.completeExceptionally(exception);
				}

			});
		}
		catch (MqttException ex) {
			throw new IllegalStateException("Paho does not publish", ex);
		}
		return acknowledged;
	}

	@Override
	public void close() {
		this.link.abort("closed");
		this.link.close();
	}

}
