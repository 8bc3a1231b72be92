package io.statestore.client.mqtt;

import java.util.concurrent.CompletableFuture;

import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;

/**
 * Plain publish and subscribe with Paho on our tuned socket: the least that a
 * notification can take.
 */
public final class BarePahoPublisher implements AutoCloseable {

	private static final String TOPIC = "benchmark/notification";

	private final Link link;

	/**
	 * Connects, and subscribes on request.
	 * @param arrived called on the network thread
	 */
	public BarePahoPublisher(int port, boolean subscribe, Runnable arrived) throws Exception {
		ConnectionOptions options = ConnectionOptions.builder().host("127.0.0.1").port(port).build();
		this.link = Link.open(options, (topic, message) -> arrived.run());
		this.link.accepted().get();
		if (subscribe) {
			this.link.subscribe(TOPIC).get();
		}
	}

	/** Done when the broker has acknowledged it. */
	public CompletableFuture<?> publish(int size) {
		CompletableFuture<Void> acknowledged = new CompletableFuture<>();
		try {
			this.link.publish(TOPIC, new MqttMessage(new byte[size], 1, false, new MqttProperties()),
					(reasonCode) -> acknowledged.complete(null));
		}
		catch (MqttException ex) {
			acknowledged.completeExceptionally(ex);
		}
		return acknowledged;
	}

	@Override
	public void close() {
		this.link.abort("closed");
		this.link.close();
	}

}
