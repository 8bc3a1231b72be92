package io.statestore.benchmarks;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.internal.Link;
import io.statestore.client.mqtt.internal.PahoLink;
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
 * Paho on our client's tuned socket, without our client: the minimum work for a request.
 */
final class BarePaho implements AutoCloseable {

	private final Semaphore permits = new Semaphore(1024);

	private final Caller.Replies replies = new Caller.Replies();

	private final PahoLink link;

	private BarePaho(ConnectionOptions options) throws Exception {
		this.link = PahoLink.openSession(
				new Link.Attempt(options, options.hosts().get(0), options.connectTimeout(), null,
						Executors.defaultThreadFactory()),
				(received, message) -> this.replies
					.arrived(ByteBuffer.wrap(message.getProperties().getCorrelationData())));
		this.link.accepted().get();
		this.link.subscribe(Topics.response(options.clientId())).get();
	}

	/** Returns a caller that always sends the same request and matches replies. */
	static Caller caller(int port, Calls calls) throws Exception {
		ConnectionOptions options = Client.options(port).build();
		BarePaho client = new BarePaho(options);
		byte[] request = calls.request();
		String timestamp = calls.timestamp();
		List<UserProperty> userProperties = (timestamp != null)
				? List.of(new UserProperty(UserProperties.TIMESTAMP, timestamp)) : List.of();
		return Caller.of(() -> client.replies.request((correlation) -> {
			MqttProperties properties = new MqttProperties();
			properties.setResponseTopic(Topics.response(options.clientId()));
			properties.setCorrelationData(correlation);
			properties.setUserProperties(userProperties);
			client.publish(request, properties);
		}), client);
	}

	private synchronized void publish(byte[] payload, MqttProperties properties) {
		this.permits.acquireUninterruptibly();
		try {
			this.link.publish(Topics.REQUEST, new MqttMessage(payload, 1, false, properties), null,
					new MqttActionListener() {

						@Override
						public void onSuccess(@Nullable IMqttToken token) {
							BarePaho.this.permits.release();
						}

						@Override
						public void onFailure(@Nullable IMqttToken token, Throwable exception) {
							BarePaho.this.permits.release();
						}

					});
		}
		catch (MqttException ex) {
			throw new IllegalStateException("Paho does not publish", ex);
		}
	}

	@Override
	public void close() {
		this.link.abort("closed");
		this.link.close();
	}

}
