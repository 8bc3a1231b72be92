package io.statestore.broker.artemis.disk;

import org.jspecify.annotations.Nullable;

/**
 * A subscription with its options.
 *
 * @param filter topic filter in Artemis
 * @param qos granted QoS level
 * @param noLocal whether messages of the subscriber itself are not delivered
 * @param retainAsPublished whether the retain flag is passed on
 * @param retainHandling when retained messages are delivered, 0 to 2
 * @param identifier subscription identifier, or {@code null} if there is none
 */
public record StoredSubscription(String filter, int qos, boolean noLocal, boolean retainAsPublished, int retainHandling,
		@Nullable Integer identifier) {
}
