package io.statestore.broker.artemis.disk;

/**
 * A message that was sent to a subscriber, which has not acknowledged it.
 *
 * @param messageId id of the message in Artemis
 * @param queue name of the queue of the subscription
 * @param exactlyOnce whether it was sent with QoS 2
 */
public record SentMessage(long messageId, String queue, boolean exactlyOnce) {
}
