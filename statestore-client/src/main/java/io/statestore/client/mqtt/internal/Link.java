package io.statestore.client.mqtt.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;

import io.statestore.client.mqtt.BrokerAddress;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * One network connection to the broker, with a clean session by default and with threads
 * of its own. A link connects once and never sends a packet again.
 */
public interface Link {

	/**
	 * Returns the outcome of the connect.
	 * @return a future that completes when the broker has accepted the connection. It
	 * fails if there is no connection, with a {@link BrokerException} if the broker
	 * refused it
	 */
	CompletableFuture<Void> accepted();

	/**
	 * Returns the end of an accepted connection.
	 * @return a future that completes with the cause when the connection breaks. It is a
	 * {@link BrokerException} if the broker ended the connection
	 */
	CompletableFuture<Throwable> lost();

	/**
	 * Ends a connection that is no longer usable. Completes {@link #lost()}.
	 * @param cause the cause, as shown in the log
	 */
	void abort(String cause);

	/**
	 * Returns the Receive Maximum of the broker (MQTT 5 section 4.9).
	 * @return maximum number of unacknowledged publishes
	 */
	int receiveMaximum();

	/**
	 * Returns the Maximum Packet Size of the broker (MQTT 5 section 3.2.2.3.6).
	 * @return maximum size in bytes, or {@code null} without a limit
	 */
	@Nullable Long maximumPacketSize();

	/**
	 * Returns the Server Reference of an accepted connection, to which the broker refers
	 * the next one (MQTT 5 section 4.11).
	 * @return text that the broker has chosen, or {@code null} if there is none
	 */
	@Nullable String serverReference();

	/**
	 * Returns the leader of a cluster that an accepted connection names in its CONNACK,
	 * because another node serves it.
	 * @return text that the broker has chosen, or {@code null} if there is none
	 */
	@Nullable String leader();

	/**
	 * Returns the amount of transferred data.
	 * @return {@link TransferProgress#UNKNOWN} if the library does not report it
	 */
	TransferProgress progress();

	/**
	 * Publishes a message with QoS 1. Called by one thread at a time.
	 * @param message the message; its quality of service has no effect
	 * @param acknowledgment called on a network thread if the outcome is
	 * {@link Submission#ACCEPTED}, unless the connection ends first
	 * @return whether the library accepted the message
	 * @throws RuntimeException if the message cannot be sent over any connection
	 */
	Submission publish(LinkMessage message, Acknowledgment acknowledgment);

	/**
	 * Subscribes with QoS 1.
	 * @param filter an MQTT topic filter
	 * @return a future that completes with the reason codes of the broker, also if they
	 * are refusals. It fails if the request cannot be sent
	 */
	CompletableFuture<int[]> subscribe(String filter);

	/**
	 * Authenticates again on this connection (MQTT 5 section 4.12.1), with the method of
	 * the CONNECT. Called by one thread at a time.
	 * @param data authentication data that replaces that of the CONNECT
	 * @return a future that completes when the broker has accepted the data. It fails if
	 * the request cannot be sent, or if the broker requests a further step. A broker that
	 * refuses the data ends the connection; see {@link #lost()}
	 */
	CompletableFuture<Void> reauthenticate(byte[] data);

	/**
	 * Sends DISCONNECT, then closes this link.
	 * @param timeout maximum time to wait until DISCONNECT was sent
	 * @param endSession whether to end a session that outlives a lost connection
	 * @throws InterruptedException if interrupted while waiting; the link is closed
	 */
	void disconnect(Duration timeout, boolean endSession) throws InterruptedException;

	/** Closes all resources, in any state. */
	void close();

	/**
	 * Describes the end of a connection by a failure, without names of Java classes where
	 * the failure has a message.
	 * @param problem the problem, such as "a message could not be sent"
	 * @param failure the failure that caused it
	 * @return the cause of the end, as shown in the log
	 */
	static String describe(String problem, Throwable failure) {
		Throwable root = failure;
		while (root.getCause() != null && root.getCause() != root) {
			root = root.getCause();
		}
		String message = root.getMessage();
		return problem + ": " + ((message != null) ? message : root.getClass().getSimpleName());
	}

	/**
	 * Receives the messages of a link on a network thread, in the order of arrival.
	 * Exceptions are logged.
	 */
	@FunctionalInterface
	interface Receiver {

		/**
		 * Receives a message. Must pass it on without blocking.
		 * @param message the message
		 */
		void messageArrived(LinkMessage message);

		/**
		 * Called before messages that arrived together, if the link knows that they did.
		 */
		default void readStarted() {
		}

		/** Called after messages that arrived together. */
		default void readCompleted() {
		}

	}

	/**
	 * An attempt to connect to one of the hosts of a connection.
	 *
	 * @param options options of the connection
	 * @param host the host
	 * @param timeout timeout of the attempt
	 * @param authenticationData data of the enhanced authentication, or {@code null}
	 * without one
	 * @param threads factory of the network threads
	 */
	record Attempt(ConnectionOptions options, BrokerAddress host, Duration timeout,
			byte @Nullable [] authenticationData, ThreadFactory threads) {
	}

	/** Outcome of handing a message to the MQTT library. */
	enum Submission {

		/** The library sends the message. */
		ACCEPTED,

		/** Too many publishes are in flight. A later attempt may succeed. */
		WINDOW_FULL,

		/** The connection has ended. */
		NOT_CONNECTED

	}

	/** Receives the answer of the broker to a publish. */
	@FunctionalInterface
	interface Acknowledgment {

		/**
		 * Called on a network thread when PUBACK has arrived. Must not block.
		 * @param reasonCode an MQTT 5 {@link ReasonCode}
		 */
		void acknowledged(int reasonCode);

	}

	/**
	 * An application message of MQTT 5, independent of the MQTT library. Equality
	 * compares the payload by identity.
	 *
	 * @param topic topic name
	 * @param payload content; not copied, and must not be changed
	 * @param qos quality of service, 0 to 2
	 * @param retained whether the broker had stored the message before the subscription
	 * @param text whether the payload is declared to be UTF-8 (Payload Format Indicator)
	 * @param expirySeconds Message Expiry Interval in seconds, or {@code null} for none
	 * @param contentType media type of the payload, or {@code null} if unknown
	 * @param responseTopic topic for the reply, or {@code null} if none is expected
	 * @param correlationData identifies the request that a reply belongs to, or
	 * {@code null}
	 * @param userProperties name-value pairs in order; names may repeat
	 */
	public record LinkMessage(String topic, byte[] payload, int qos, boolean retained, boolean text,
			@Nullable Long expirySeconds, @Nullable String contentType, @Nullable String responseTopic,
			@Nullable Bytes correlationData, List<UserProperty> userProperties) {

		/**
		 * Creates a message with QoS 1 and no properties.
		 * @param topic topic name
		 * @param payload content; not copied, and must not be changed
		 */
		public LinkMessage(String topic, byte[] payload) {
			this(topic, payload, 1, false, false, null, null, null, null, List.of());
		}

		/**
		 * Returns the value of a user property.
		 * @param name name of the property
		 * @return the value of the first property with this name, or {@code null} if
		 * there is none
		 */
		public @Nullable String userProperty(String name) {
			for (UserProperty property : this.userProperties) {
				if (property.name().equals(name)) {
					return property.value();
				}
			}
			return null;
		}

		/**
		 * Returns the size of the PUBLISH packet (MQTT 5 section 3.3).
		 * @return the number of bytes, without topic alias
		 */
		public long packetSize() {
			long properties = propertiesSize();
			long remaining = 2L + utf8Length(this.topic) + ((this.qos > 0) ? 2 : 0)
					+ variableByteIntegerSize(properties) + properties + this.payload.length;
			return 1 + variableByteIntegerSize(remaining) + remaining;
		}

		/** Returns the size of the properties, each with its identifier byte. */
		private long propertiesSize() {
			long size = this.text ? 2 : 0;
			size += (this.expirySeconds != null) ? 5 : 0;
			size += (this.contentType != null) ? 3 + utf8Length(this.contentType) : 0;
			size += (this.responseTopic != null) ? 3 + utf8Length(this.responseTopic) : 0;
			size += (this.correlationData != null) ? 3 + this.correlationData.length() : 0;
			for (UserProperty property : this.userProperties) {
				size += 5 + utf8Length(property.name()) + utf8Length(property.value());
			}
			return size;
		}

		private static int utf8Length(String text) {
			return text.getBytes(StandardCharsets.UTF_8).length;
		}

		/** Returns the size of an encoded number (MQTT 5 section 1.5.5). */
		private static int variableByteIntegerSize(long value) {
			int size = 1;
			for (long rest = value >> 7; rest > 0; rest >>= 7) {
				size++;
			}
			return size;
		}

		/**
		 * A user property of MQTT 5.
		 *
		 * @param name name of the property
		 * @param value value of the property
		 */
		public record UserProperty(String name, String value) {
		}

	}

}
