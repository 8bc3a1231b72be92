package io.statestore.sample.room;

import org.jspecify.annotations.Nullable;

/**
 * The stale writes that the store has refused.
 *
 * @param count their number
 * @param explanation sentence about the last one, {@code null} if there was none
 */
record Rejected(long count, @Nullable String explanation) {
}
