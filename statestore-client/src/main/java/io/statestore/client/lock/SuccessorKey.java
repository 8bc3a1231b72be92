package io.statestore.client.lock;

import io.statestore.client.Key;
import io.statestore.protocol.LockNames;
import org.slf4j.event.Level;

/** Naming of successor locks: the key of the lock plus a suffix. */
final class SuccessorKey {

	private SuccessorKey() {
	}

	/** Returns the key of the successor lock of a lock. */
	static Key of(Key lock) {
		return new Key(LockNames.successor(lock.bytes()));
	}

	/** Returns a lock, or the lock that a successor lock belongs to, for messages. */
	static String describe(Key lock) {
		return matches(lock) ? "Successor lock of " + Key.of(LockNames.lock(lock.bytes())).quoted() : "Lock " + lock;
	}

	/**
	 * Returns the level of a log entry: DEBUG for locks that applications do not know.
	 */
	static Level level(Key lock, Level level) {
		return matches(lock) ? Level.DEBUG : level;
	}

	/** Returns whether a key is that of a successor lock. */
	static boolean matches(Key key) {
		return LockNames.isSuccessor(key.bytes());
	}

}
