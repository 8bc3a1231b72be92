package io.statestore.broker.server;

import java.time.Duration;
import java.util.List;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A PUBLISH to the request topic.
 *
 * @param connection the client's connection
 * @param qos the QoS of the PUBLISH
 * @param responseTopic the Response Topic, or {@code null} if absent
 * @param correlationData the Correlation Data, or {@code null} if absent
 * @param messageExpiry the Message Expiry Interval, or {@code null} if absent
 * @param userProperties the user properties, in packet order
 * @param payload the payload, owned by the server
 * @param acknowledgment called once the request has completed
 */
public record IncomingRequest(ClientConnection connection, int qos, @Nullable String responseTopic,
		@Nullable Bytes correlationData, @Nullable Duration messageExpiry, List<UserProperty> userProperties,
		Bytes payload, Acknowledgment acknowledgment) {

	/** Estimated heap usage of a user property, in bytes, not including its text. */
	private static final int PROPERTY_OVERHEAD = 128;

	/** Returns the estimated memory of all data from the client, in bytes. */
	int bytes() {
		long bytes = this.payload.length();
		bytes += (this.responseTopic != null) ? this.responseTopic.length() : 0;
		bytes += (this.correlationData != null) ? this.correlationData.length() : 0;
		for (UserProperty property : this.userProperties) {
			bytes += PROPERTY_OVERHEAD + property.name().length() + property.value().length();
		}
		return (int) Math.min(bytes, Integer.MAX_VALUE);
	}

	/**
	 * Returns whether the request has expired a number of nanoseconds after its arrival.
	 */
	boolean isExpiredAfter(long nanos) {
		return this.messageExpiry != null && this.messageExpiry.compareTo(Duration.ofNanos(nanos)) <= 0;
	}

	/** Returns a copy that is sufficient to acknowledge this request. */
	IncomingRequest withoutContent() {
		return withoutContent(null, null);
	}

	/** Returns a copy that is sufficient to refuse this request with a reply. */
	IncomingRequest withoutContent(@Nullable String responseTopic, @Nullable Bytes correlationData) {
		return new IncomingRequest(this.connection, this.qos, responseTopic, correlationData, null, List.of(),
				Bytes.EMPTY, this.acknowledgment);
	}

	/**
	 * Acknowledgment of a request, sent after the reply was passed to the connection.
	 * Thread-safe.
	 */
	@FunctionalInterface
	public interface Acknowledgment {

		/**
		 * Sends the PUBACK. Has no effect with QoS 0.
		 * @param reasonCode 0x00, or an MQTT 5 reason code of 0x80 or above if the
		 * request had no effect
		 */
		void acknowledge(int reasonCode);

		/**
		 * Called when a SCAN has read its keys but its reply has yet to be confirmed.
		 */
		default void read() {
		}

	}

}
