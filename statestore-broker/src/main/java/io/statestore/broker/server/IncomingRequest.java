package io.statestore.broker.server;

import java.time.Duration;
import java.util.List;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A PUBLISH to the request topic.
 *
 * @param connection where it came from
 * @param qos the QoS it was published with
 * @param responseTopic the MQTT property, {@code null} if absent
 * @param correlationData the MQTT property, {@code null} if absent
 * @param messageExpiry the MQTT property, {@code null} if absent
 * @param userProperties in order
 * @param payload the whole payload, which now belongs to the server
 * @param acknowledgement told once, when the request is done with
 */
public record IncomingRequest(ClientConnection connection, int qos, @Nullable String responseTopic,
		@Nullable Bytes correlationData, @Nullable Duration messageExpiry, List<UserProperty> userProperties,
		Bytes payload, Acknowledgement acknowledgement) {

	/**
	 * Acknowledges a request to its sender, after the reply was given to the connection.
	 * May be called from any thread.
	 */
	@FunctionalInterface
	public interface Acknowledgement {

		/**
		 * Send the PUBACK. For QoS 0 there is none and this does nothing.
		 * @param reasonCode 0x00, or the MQTT 5 reason code of 0x80 or above that tells
		 * why the request had no effect
		 */
		void acknowledge(int reasonCode);

	}

}
