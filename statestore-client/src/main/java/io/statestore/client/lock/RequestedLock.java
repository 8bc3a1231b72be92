package io.statestore.client.lock;

import io.statestore.client.Key;
import io.statestore.client.internal.LockMonitors;
import io.statestore.protocol.Bytes;

/**
 * A lock and the holder that requests it.
 *
 * @param key of the lock
 * @param store of the key
 * @param time clock and timer of the holder's process
 * @param monitors receive the measurements of the tenure
 * @param terms of the requested lease
 * @param holder value of the key while the lock is held, unique for each acquisition
 */
record RequestedLock(Key key, LockStore store, LockTime time, LockMonitors monitors, LockTerms terms, Bytes holder) {
}
