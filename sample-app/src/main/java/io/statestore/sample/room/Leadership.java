package io.statestore.sample.room;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The leader of the line.
 *
 * @param leader name of the leader, {@code null} if there is none
 * @param token fencing token of the leader, {@code null} if it is not known
 * @param renewed time of the last renewal of the lock, by the clock of the store
 * @param lease time after a renewal until another press can take over
 * @param takeover duration of the last takeover, from the event that caused it,
 * {@code null} before the first one
 */
record Leadership(@Nullable String leader, @Nullable String token, @Nullable Instant renewed, Duration lease,
		@Nullable Duration takeover) {
}
