package io.statestore.broker.log;

import java.time.Instant;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A restore of a store from a backup, recorded until the store's next start.
 *
 * @param time when the restore was made, by the wall clock
 * @param after version specified for the restore, {@code null} if none was specified. The
 * store issues only greater versions
 */
public record Restored(Instant time, @Nullable Version after) {
}
