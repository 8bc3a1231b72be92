package io.statestore.broker.engine;

import java.time.Duration;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A lock in the store.
 *
 * @param key the lock's key
 * @param holder the value, which names the holder
 * @param version the version of the last renewal
 * @param token the version of the acquisition, or {@code null} if it is unknown
 * @param client the client that holds the lock, or {@code null} if it is unknown
 * @param remaining the time until the lock expires, or {@code null} if it has no expiry
 */
public record LockState(Bytes key, Bytes holder, Version version, @Nullable Version token, @Nullable Requester client,
		@Nullable Duration remaining) {
}
