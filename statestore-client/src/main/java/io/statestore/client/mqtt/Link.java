package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.jspecify.annotations.Nullable;

/**
 * One connection to the broker, from its first packet to its end: never connected twice,
 * with a clean session and threads of its own, so that nothing is ever sent again. Behind
 * it is one of the {@link Transport transports}; messages and reason codes have the form
 * of Paho with either.
 */
interface Link {

	/**
	 * Begin to connect.
	 * @param sink gets every message
	 * @return a link to wait for with {@link #accepted()} and to {@link #close()}
	 */
	static Link open(ConnectionOptions options, MessageSink sink) throws MqttException {
		return switch (options.transport()) {
			case PAHO -> PahoLink.open(options, sink);
			case HIVEMQ -> HiveMqLink.open(options, sink);
		};
	}

	/** Completed when the broker has accepted the connection, or with why not. */
	CompletableFuture<Void> accepted();

	/** Completed with the cause when an accepted connection breaks. */
	CompletableFuture<String> lost();

	/** Ends a connection that is no longer usable. */
	void abort(String cause);

	/** How many publishes the broker takes before it has acknowledged any. */
	int receiveMaximum();

	/** The largest packet the broker accepts, {@code null} without a limit. */
	@Nullable Long maximumPacketSize();

	/**
	 * Whether a packet so large that it takes longer than from the last look to this one
	 * is on its way: whatever follows it has to wait. Asked by one thread at a time.
	 */
	boolean lookIsWithinPacket();

	/**
	 * Publish with QoS 1; called by one thread at a time, with a permit of
	 * {@link FlowControl}.
	 * @throws MqttException if the message was not taken
	 */
	void publish(String topic, MqttMessage message, Acknowledgement acknowledgement) throws MqttException;

	/** Subscribe with QoS 1, completed with the reason codes of the broker. */
	CompletableFuture<int[]> subscribe(String filter);

	/**
	 * Sends DISCONNECT, then closes.
	 * @param endSession whether to end a session that outlives a lost connection
	 */
	void disconnect(Duration timeout, boolean endSession) throws InterruptedException;

	/** Let go of everything, in whatever state. */
	void close();

	/** Told, on a network thread, what the broker has made of a publish. */
	@FunctionalInterface
	interface Acknowledgement {

		/**
		 * Not called for a publish that the end of the connection has left
		 * unacknowledged.
		 */
		void acknowledged(int reasonCode);

	}

}
