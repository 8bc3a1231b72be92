package io.statestore.client.lock;

import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.protocol.Bytes;

/**
 * A lock that was granted to a holder.
 *
 * @param key of the lock
 * @param store of the key
 * @param time clock and timer of the holder's process
 * @param monitor receives the measurements of the tenure
 * @param holder value of the key while the lock is held, unique for each acquisition
 * @param token version of the acquisition
 */
record HeldLock(Key key, LockStore store, LockTime time, LockMonitor monitor, Bytes holder, FencingToken token) {

	/** Returns the time of {@link LockTime#nanoTime()}. */
	long now() {
		return this.time.nanoTime();
	}

}
