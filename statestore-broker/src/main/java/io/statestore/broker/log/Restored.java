package io.statestore.broker.log;

import java.time.Instant;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Restore of a store from a backup, kept until the next start of the store.
 *
 * @param time time of the restore, by the wall clock
 * @param after version given to the restore, {@code null} if none was given. The store
 * issues greater versions only
 */
public record Restored(Instant time, @Nullable Version after) {
}
