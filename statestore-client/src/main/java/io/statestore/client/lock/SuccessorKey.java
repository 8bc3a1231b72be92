package io.statestore.client.lock;

import io.statestore.client.Key;
import io.statestore.protocol.LockNames;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;

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

	/**
	 * Logs an event of a lock; at DEBUG for a successor lock, which applications do not
	 * know.
	 * @param message begins with the lock, as {@code "{}"}
	 */
	static void log(Logger logger, Level level, Key lock, String message, @Nullable Object... arguments) {
		boolean successor = matches(lock);
		logger.atLevel(successor ? Level.DEBUG : level)
			.log(message.replaceFirst("\\{}",
					successor ? "Successor lock of " + Key.of(LockNames.lock(lock.bytes())).quoted() : "Lock " + lock),
					arguments);
	}

}
