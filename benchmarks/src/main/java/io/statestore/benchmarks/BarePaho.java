package io.statestore.benchmarks;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;

import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.internal.Link;
import io.statestore.client.mqtt.internal.Link.LinkMessage;
import io.statestore.client.mqtt.internal.Link.LinkMessage.UserProperty;
import io.statestore.client.mqtt.internal.Link.Submission;
import io.statestore.client.mqtt.internal.PahoLink;
import io.statestore.client.mqtt.internal.PahoLink.PahoSession;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;
import io.statestore.protocol.UserProperties;
import org.jspecify.annotations.Nullable;

/**
 * Paho on the tuned socket of our client, without our client: the least work that a
 * message takes.
 */
final class BarePaho implements AutoCloseable {

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
		List<UserProperty> properties = (timestamp != null)
				? List.of(new UserProperty(UserProperties.TIMESTAMP, timestamp)) : List.of();
		return Caller.of(() -> replies.request((correlation) -> client.publish(new LinkMessage(topic, request, 1, false,
				false, null, null, responseTopic, Bytes.wrap(correlation), properties))), client);
	}

	/** Publishes, and returns a future that completes with the acknowledgment. */
	synchronized CompletableFuture<?> publish(LinkMessage message) {
		CompletableFuture<?> acknowledged = new CompletableFuture<>();
		Submission submission = Submission.WINDOW_FULL;
		while (submission == Submission.WINDOW_FULL) {
			submission = this.link.publish(message, (reasonCode) -> acknowledged.complete(null));
		}
		if (submission != Submission.ACCEPTED) {
			throw new IllegalStateException("The connection has ended");
		}
		return acknowledged;
	}

	@Override
	public void close() {
		this.link.abort("closed");
		this.link.close();
	}

}
