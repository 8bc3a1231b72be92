package io.statestore.client.lock;

import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.protocol.Bytes;

/**
 * The key of a lock together with the tenure that holds it.
 *
 * @param key of the lock
 * @param store where the key is stored
 * @param time of the process
 * @param holder value of the key during this tenure
 * @param token version of the acquisition
 */
record HeldKey(Key key, LockStore store, LockTime time, Bytes holder, FencingToken token) {

	long now() {
		return this.time.nanoTime();
	}

}
