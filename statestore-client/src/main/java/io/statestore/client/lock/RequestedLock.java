package io.statestore.client.lock;

import io.statestore.client.Key;
import io.statestore.client.internal.LockMonitors;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.LockNames;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;

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

	/**
	 * Returns the key of the successor lock of a lock: that of the lock plus a suffix.
	 */
	static Key successor(Key lock) {
		return new Key(LockNames.successor(lock.bytes()));
	}

	/** Returns whether a key is that of a successor lock. */
	static boolean isSuccessor(Key key) {
		return LockNames.isSuccessor(key.bytes());
	}

	/**
	 * Logs an event of this lock; at DEBUG if it is a successor lock, which applications
	 * do not know.
	 * @param message begins with the lock, as {@code "{}"}
	 */
	void log(Logger logger, Level level, String message, @Nullable Object... arguments) {
		boolean successor = isSuccessor(this.key);
		logger.atLevel(successor ? Level.DEBUG : level)
			.log(message.replaceFirst("\\{}", successor
					? "Successor lock of " + new Key(LockNames.lock(this.key.bytes())).quoted() : "Lock " + this.key),
					arguments);
	}

}
