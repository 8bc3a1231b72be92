package io.statestore.broker.engine;

import java.util.List;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A page of locks.
 *
 * @param locks the locks
 * @param token the token of the next page, or {@code null} if this is the last one
 */
public record LockStates(List<LockState> locks, @Nullable Bytes token) {
}
