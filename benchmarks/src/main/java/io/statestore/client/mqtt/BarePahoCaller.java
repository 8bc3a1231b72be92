package io.statestore.client.mqtt;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

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
 * Minimal caller with Paho on our tuned socket: sends a fixed request and finds its
 * reply. In the package of the client, because the socket is package-private.
 */
public final class BarePahoCaller {

	private final Map<ByteBuffer, CompletableFuture<Void>> pending = new ConcurrentHashMap<>();

	private final AtomicLong count = new AtomicLong();

	private final byte[] request;

	private final List<UserProperty> userProperties;

	private final Semaphore permits = new Semaphore(1024);

	private final String responseTopic;

	private final PahoLink link;

	/**
	 * Connect.
	 * @param request the payload of each request
	 * @param timestamp the clock that it brings, {@code null} for none
	 */
	public BarePahoCaller(int port, byte[] request, @Nullable String timestamp) throws Exception {
		this.request = request;
		this.userProperties = (timestamp != null) ? List.of(new UserProperty(UserProperties.TIMESTAMP, timestamp))
				: List.of();
		ConnectionOptions options = ConnectionOptions.builder().host("127.0.0.1").port(port).build();
		this.responseTopic = Topics.response(options.clientId());
		this.link = PahoLink.open(options, (topic, message) -> {
			CompletableFuture<Void> reply = this.pending
				.remove(ByteBuffer.wrap(message.getProperties().getCorrelationData()));
			if (reply != null) {
				reply.complete(null);
			}
		});
		this.link.accepted().get();
		this.link.subscribe(this.responseTopic).get();
	}

	public synchronized CompletableFuture<?> call() {
		byte[] correlation = ByteBuffer.allocate(16).putLong(this.count.incrementAndGet()).array();
		CompletableFuture<Void> reply = new CompletableFuture<>();
		this.pending.put(ByteBuffer.wrap(correlation), reply);
		MqttProperties properties = new MqttProperties();
		properties.setResponseTopic(this.responseTopic);
		properties.setCorrelationData(correlation);
		properties.setUserProperties(this.userProperties);
		this.permits.acquireUninterruptibly();
		try {
			this.link.publish(Topics.REQUEST, new MqttMessage(this.request, 1, false, properties), null,
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

	public void close() {
		this.link.abort("closed");
		this.link.close();
	}

}
