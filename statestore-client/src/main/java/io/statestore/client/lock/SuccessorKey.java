package io.statestore.client.lock;

import io.statestore.client.Key;
import io.statestore.protocol.LockNames;

/** Naming of successor locks: the key of the lock plus a suffix. */
final class SuccessorKey {

	private SuccessorKey() {
	}

	/** Returns the key of the successor lock of a lock. */
	static Key of(Key lock) {
		return new Key(LockNames.successor(lock.bytes()));
	}

	/** Returns whether a key is that of a successor lock. */
	static boolean matches(Key key) {
		return LockNames.isSuccessor(key.bytes());
	}

}
