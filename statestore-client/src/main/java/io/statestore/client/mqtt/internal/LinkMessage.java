package io.statestore.client.mqtt.internal;

import java.util.List;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * An application message of MQTT 5, independent of a codec. Equality compares the payload
 * by identity.
 *
 * @param topic topic name
 * @param payload content; not copied, and must not be changed
 * @param qos quality of service, 0 to 2
 * @param retained whether the broker had stored the message before the subscription
 * @param text whether the payload is declared to be UTF-8 (Payload Format Indicator)
 * @param expirySeconds Message Expiry Interval in seconds, or {@code null} for none
 * @param contentType media type of the payload, or {@code null} if unknown
 * @param responseTopic topic for the reply, or {@code null} if none is expected
 * @param correlationData identifies the request that a reply belongs to, or {@code null}
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
	 * @return the value of the first property with this name, or {@code null} if there is
	 * none
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
	 * A user property of MQTT 5.
	 *
	 * @param name name of the property
	 * @param value value of the property
	 */
	public record UserProperty(String name, String value) {
	}

	/**
	 * Receives the answer of the broker to a packet. Called on a network thread, and must
	 * not block.
	 */
	@FunctionalInterface
	public interface Acknowledgment {

		/**
		 * Called when the last answer has arrived: PUBACK, PUBCOMP, SUBACK, or UNSUBACK.
		 * @param reasonCodes the {@link ReasonCode} of a publish, or one for each filter
		 */
		void acknowledged(int... reasonCodes);

		/**
		 * Called before the packet is sent, on the thread of the caller.
		 * @param packetId its packet identifier
		 */
		default void assigned(int packetId) {
		}

		/**
		 * Called when the connection has ended before the answer.
		 * @param cause the end of the connection
		 */
		default void lost(Throwable cause) {
		}

	}

}
