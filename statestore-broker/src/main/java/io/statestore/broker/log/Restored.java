package io.statestore.broker.log;

import java.time.Instant;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Describes how a store was restored from a backup. Recorded until the store's next
 * start.
 *
 * @param time when the restore was made, by the wall clock
 * @param after version specified for the restore, {@code null} if none was specified. The
 * store issues only greater versions
 */
public record Restored(Instant time, @Nullable Version after) {
}
