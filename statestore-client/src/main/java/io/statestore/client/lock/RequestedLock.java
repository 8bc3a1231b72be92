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
 * @param key the lock's key
 * @param store accesses the key in the store
 * @param time clock and timer of the holder's process
 * @param monitors receive the tenure's measurements
 * @param terms terms to request
 * @param holder value of the key while the lock is held, unique for each acquisition
 */
record RequestedLock(Key key, LockStore store, LockTime time, LockMonitors monitors, LockTerms terms, Bytes holder) {

	/**
	 * Returns the key of a lock's successor lock: the lock's key plus a suffix.
	 */
	static Key successor(Key lock) {
		return new Key(LockNames.successor(lock.bytes()));
	}

	static boolean isSuccessor(Key key) {
		return LockNames.isSuccessor(key.bytes());
	}

	/**
	 * Logs an event of this lock. Events of successor locks, which are internal, are
	 * logged at DEBUG.
	 * @param message message that begins with {@code "{}"} for the lock
	 */
	void log(Logger logger, Level level, String message, @Nullable Object... arguments) {
		boolean successor = isSuccessor(this.key);
		logger.atLevel(successor ? Level.DEBUG : level)
			.log(message.replaceFirst("\\{}", successor
					? "Successor lock of " + new Key(LockNames.lock(this.key.bytes())).quoted() : "Lock " + this.key),
					arguments);
	}

}
