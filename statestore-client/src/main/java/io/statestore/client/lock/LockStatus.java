package io.statestore.client.lock;

import java.time.Duration;

import io.statestore.client.FencingToken;
import io.statestore.client.Key;

/**
 * Status of a held lock at one moment.
 *
 * @param key of the lock in the store
 * @param holder value of the key, unique for each acquisition
 * @param token of the tenure
 * @param remaining time left of the lease without a further renewal
 */
public record LockStatus(Key key, String holder, FencingToken token, Duration remaining) {
}
