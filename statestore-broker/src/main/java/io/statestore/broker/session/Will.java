package io.statestore.broker.session;

/**
 * The message to publish for a client whose connection ends abnormally (MQTT 5 section
 * 3.1.2.5).
 * <p>
 * Internal: not part of the API.
 *
 * @param message the message, whose expiry is not set yet
 * @param delaySeconds Will Delay Interval
 * @param expirySeconds Message Expiry Interval, -1 if the message does not expire
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
