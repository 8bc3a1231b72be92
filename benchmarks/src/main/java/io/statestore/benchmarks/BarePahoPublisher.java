package io.statestore.benchmarks;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;

import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.link.LinkResources;
import io.statestore.client.mqtt.paho.PahoLink;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.jspecify.annotations.Nullable;

/**
 * Plain publish and subscribe by Paho on the tuned socket of our client: the least work
 * that a notification takes.
 */
final class BarePahoPublisher implements AutoCloseable {

	private static final String TOPIC = "benchmark/notification";

	private final PahoLink link;

	/**
	 * Connects, and subscribes on request.
	 * @param arrived called on the network thread for each message
	 */
	BarePahoPublisher(int port, boolean subscribe, Runnable arrived) throws Exception {
		ConnectionOptions options = ConnectionOptions.builder().host("127.0.0.1").port(port).build();
		LinkResources resources = new LinkResources(Executors.defaultThreadFactory(), System::nanoTime);
		this.link = PahoLink.openSession(options, resources, (topic, message) -> arrived.run());
		this.link.accepted().get();
		if (subscribe) {
			this.link.subscribe(TOPIC).get();
		}
	}

	/** Publishes, and returns a future that completes with the acknowledgment. */
	CompletableFuture<?> publish(int size) {
		CompletableFuture<Void> acknowledged = new CompletableFuture<>();
		try {
			this.link.publish(TOPIC, new MqttMessage(new byte[size], 1, false, new MqttProperties()), null,
					listener(() -> acknowledged.complete(null), acknowledged));
		}
		catch (MqttException ex) {
			acknowledged.completeExceptionally(ex);
		}
		return acknowledged;
	}

	/**
	 * Returns a listener for the outcome of a publish.
	 * @param acknowledged called when the broker has acknowledged the publish
	 * @param failed fails if the publish fails
	 */
	private static MqttActionListener listener(Runnable acknowledged, CompletableFuture<?> failed) {
		return new MqttActionListener() {

			@Override
			public void onSuccess(@Nullable IMqttToken token) {
				acknowledged.run();
			}

			@Override
			public void onFailure(@Nullable IMqttToken token, Throwable exception) {
				failed.completeExceptionally(exception);
			}

		};
	}

	@Override
	public void close() {
		this.link.abort("closed");
		this.link.close();
	}

}
