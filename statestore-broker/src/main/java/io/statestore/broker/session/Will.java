package io.statestore.broker.session;

/**
 * A will (MQTT 5 section 3.1.2.5).
 * <p>
 * Internal: not part of the API.
 *
 * @param message the message. Its expiry is an interval, which begins when the message is
 * published
 * @param delaySeconds Will Delay Interval
 */
public record Will(Message message, long delaySeconds) {
}
