package io.statestore.broker.session;

/**
 * A will (MQTT 5 section 3.1.2.5).
 * <p>
 * Internal: not part of the API.
 *
 * @param message the message, without its expiry
 * @param delaySeconds Will Delay Interval
 * @param expirySeconds Message Expiry Interval, -1 if there is none
 */
public record Will(Message message, long delaySeconds, long expirySeconds) {

	/** Returns the message to publish at a log time. */
	Message messageAt(long now) {
		return (this.expirySeconds < 0) ? this.message
				: new Message(this.message.topic(), this.message.properties(), this.message.payload(),
						this.message.qos(), this.message.retain(), now + this.expirySeconds * 1_000_000_000L,
						this.message.publisher());
	}

}
