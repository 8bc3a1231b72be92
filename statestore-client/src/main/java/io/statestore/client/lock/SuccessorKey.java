package io.statestore.client.lock;

import java.util.Arrays;

import io.statestore.client.Key;
import io.statestore.protocol.Bytes;

/** Naming of successor locks: the key of the lock plus a suffix. */
final class SuccessorKey {

	/** Starts with NUL, which keys of applications do not have in practice. */
	private static final Bytes SUFFIX = Bytes.of("\u0000successor");

	private SuccessorKey() {
	}

	/** Returns the key of the successor lock of a lock. */
	static Key of(Key lock) {
		byte[] key = Arrays.copyOf(lock.bytes().toArray(), lock.bytes().length() + SUFFIX.length());
		SUFFIX.copyTo(key, lock.bytes().length());
		return new Key(Bytes.wrap(key));
	}

	/** Returns whether a key is that of a successor lock. */
	static boolean matches(Key key) {
		int start = key.bytes().length() - SUFFIX.length();
		return start >= 0 && key.bytes().slice(start, key.bytes().length()).equals(SUFFIX);
	}

}
