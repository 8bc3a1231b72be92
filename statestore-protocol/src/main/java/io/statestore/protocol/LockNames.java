package io.statestore.protocol;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Conventions by which this project's locks can be recognized in a store. The protocol
 * does not have locks: a lock is a key with an expiry whose value names the holder.
 */
public final class LockNames {

	/**
	 * Maximum length of a held lock's value, in bytes. A holder name has at most 256
	 * characters.
	 */
	public static final int MAX_HOLDER_LENGTH = 2048;

	/**
	 * Suffix of successor locks. Starts with NUL, which applications do not use in keys
	 * in practice.
	 */
	private static final Bytes SUCCESSOR = Bytes.of("\u0000successor");

	/** Suffix of a leader's holder name. */
	public static final String LEADER = "/leader";

	private static final Pattern HOLDER = Pattern.compile(
			"(?<name>.*?)(?<leader>" + LEADER + ")?/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[1-9][0-9]*",
			Pattern.DOTALL);

	private LockNames() {
	}

	/**
	 * Returns the key of a lock's successor lock. The holder of the successor lock is the
	 * waiter that requests the lock first.
	 * @param lock the lock's key
	 * @return the lock's key with a suffix
	 */
	public static Bytes successor(Bytes lock) {
		byte[] key = new byte[lock.length() + SUCCESSOR.length()];
		lock.copyTo(key, 0);
		SUCCESSOR.copyTo(key, lock.length());
		return Bytes.wrap(key);
	}

	/**
	 * Returns whether a key belongs to a successor lock.
	 * @param key any key
	 * @return whether the key ends with the suffix of successor locks
	 */
	public static boolean isSuccessor(Bytes key) {
		int start = key.length() - SUCCESSOR.length();
		return start >= 0 && key.at(start) == 0 && key.slice(start, key.length()).equals(SUCCESSOR);
	}

	/**
	 * Returns the lock that a successor lock belongs to.
	 * @param key the key of a successor lock, or any other key
	 * @return the lock's key, or the same key if it does not belong to a successor lock
	 */
	public static Bytes lock(Bytes key) {
		Bytes lock = key;
		while (isSuccessor(lock)) {
			lock = lock.slice(0, lock.length() - SUCCESSOR.length());
		}
		return lock;
	}

	/**
	 * Returns whether a value belongs to a lock that one of this project's clients holds.
	 * Such a value consists of the holder's name, the UUID of its process in lower case,
	 * and the number of the acquisition, separated by slashes.
	 * @param value the value of a key
	 * @return whether the value has this format
	 */
	public static boolean isHolder(Bytes value) {
		return holder(value) != null;
	}

	/**
	 * Returns whether a value belongs to a leader's lock.
	 * @param value the value of a key
	 * @return whether {@link #isHolder} is true for the value and the holder's name ends
	 * with {@link #LEADER}
	 */
	public static boolean isLeader(Bytes value) {
		Matcher holder = holder(value);
		return holder != null && holder.group("leader") != null;
	}

	/**
	 * Returns the holder's name in the value of a held lock, without a leader's suffix.
	 * @param value the value of a key
	 * @return the holder's name, or the entire value if {@link #isHolder} is false for it
	 */
	public static Bytes holderName(Bytes value) {
		Matcher holder = holder(value);
		return (holder != null) ? value.slice(0, holder.end("name")) : value;
	}

	private static @Nullable Matcher holder(Bytes value) {
		if (value.length() > MAX_HOLDER_LENGTH) {
			return null;
		}
		// Decodes one character per byte.
		Matcher holder = HOLDER.matcher(new String(value.toArray(), StandardCharsets.ISO_8859_1));
		return holder.matches() ? holder : null;
	}

}
