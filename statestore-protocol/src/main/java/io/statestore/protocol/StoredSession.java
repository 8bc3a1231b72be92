package io.statestore.protocol;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * An MQTT session that a broker stores.
 *
 * @param client the MQTT client id
 * @param principal the name of the principal that the session belongs to, or {@code null}
 * if the client is anonymous
 * @param connected whether the client is connected
 * @param remaining the time until the session expires, or {@code null} if its client is
 * connected or the session does not expire
 * @param subscriptionCount the number of subscriptions
 * @param queuedCount the number of messages that the client has not acknowledged
 * @param bytes the estimated memory of the session including its messages, in bytes
 */
public record StoredSession(String client, @Nullable String principal, boolean connected, @Nullable Duration remaining,
		int subscriptionCount, int queuedCount, long bytes) {
}
