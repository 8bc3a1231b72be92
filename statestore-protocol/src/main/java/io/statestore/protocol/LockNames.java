package io.statestore.protocol;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Conventions by which the locks of this project can be recognized in a store. The
 * protocol has no locks: a lock is a key with an expiry, and its value names the holder.
 */
public final class LockNames {

	/**
	 * Maximum length of the value of a held lock in bytes. The name of a holder has at
	 * most 256 characters.
	 */
	public static final int MAX_HOLDER_LENGTH = 2048;

	/** Starts with NUL, which keys of applications do not have in practice. */
	private static final Bytes SUCCESSOR = Bytes.of("\u0000successor");

	/** Suffix of the holder name of a leader. */
	public static final String LEADER = "/leader";

	private static final Pattern HOLDER = Pattern.compile(
			"(?<name>.*?)(?<leader>" + LEADER + ")?/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[1-9][0-9]*",
			Pattern.DOTALL);

	private LockNames() {
	}

	/**
	 * Returns the key of the successor lock of a lock. The holder of the successor lock
	 * is the waiter that requests the lock first.
	 * @param lock the key of the lock
	 * @return the key of the lock and a suffix
	 */
	public static Bytes successor(Bytes lock) {
		byte[] key = new byte[lock.length() + SUCCESSOR.length()];
		lock.copyTo(key, 0);
		SUCCESSOR.copyTo(key, lock.length());
		return Bytes.wrap(key);
	}

	/**
	 * Returns whether a key is that of a successor lock.
	 * @param key the key
	 * @return whether it ends with the suffix of successor locks
	 */
	public static boolean isSuccessor(Bytes key) {
		int start = key.length() - SUCCESSOR.length();
		return start >= 0 && key.at(start) == 0 && key.slice(start, key.length()).equals(SUCCESSOR);
	}

	/**
	 * Returns the lock that a successor lock belongs to.
	 * @param key the key of a successor lock, or any other key
	 * @return the key of the lock, or the same key if it is not that of a successor lock
	 */
	public static Bytes lock(Bytes key) {
		Bytes lock = key;
		while (isSuccessor(lock)) {
			lock = lock.slice(0, lock.length() - SUCCESSOR.length());
		}
		return lock;
	}

	/**
	 * Returns whether a value is that of a lock that a client of this project holds. Such
	 * a value consists of the name of the holder, the UUID of its process in lower case,
	 * and the number of the acquisition, separated by slashes.
	 * @param value the value of a key
	 * @return whether the value has this form
	 */
	public static boolean isHolder(Bytes value) {
		return holder(value) != null;
	}

	/**
	 * Returns whether a value is that of the lock of a leader.
	 * @param value the value of a key
	 * @return whether it has the form of {@link #isHolder}, and the name of the holder
	 * ends with {@link #LEADER}
	 */
	public static boolean isLeader(Bytes value) {
		Matcher holder = holder(value);
		return holder != null && holder.group("leader") != null;
	}

	/**
	 * Returns the name in the value of a held lock, without the mark of a leader.
	 * @param value the value of a key
	 * @return the name of the holder, or the entire value if it does not have the form of
	 * {@link #isHolder}
	 */
	public static Bytes holderName(Bytes value) {
		Matcher holder = holder(value);
		return (holder != null) ? value.slice(0, holder.end("name")) : value;
	}

	private static @Nullable Matcher holder(Bytes value) {
		if (value.length() > MAX_HOLDER_LENGTH) {
			return null;
		}
		// One character for each byte
		Matcher holder = HOLDER.matcher(new String(value.toArray(), StandardCharsets.ISO_8859_1));
		return holder.matches() ? holder : null;
	}

}
