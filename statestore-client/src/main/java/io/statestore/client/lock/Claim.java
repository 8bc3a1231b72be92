package io.statestore.client.lock;

import io.statestore.client.Key;
import io.statestore.protocol.Bytes;

/**
 * A lock and the holder that requests it.
 *
 * @param key of the lock
 * @param store of the key
 * @param time source of time and chance
 * @param terms of the lease that is requested
 * @param holder value of the key while the lock is held, unique for each acquisition
 */
record Claim(Key key, LockStore store, LockTime time, LockTerms terms, Bytes holder) {

}
