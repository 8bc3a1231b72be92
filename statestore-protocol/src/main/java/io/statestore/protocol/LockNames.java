package io.statestore.protocol;

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

	private static final Bytes LEADER_BYTES = Bytes.of(LEADER);

	private static final int UUID_LENGTH = 36;

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
		return nameLength(value) >= 0;
	}

	/**
	 * Returns whether a value is that of the lock of a leader.
	 * @param value the value of a key
	 * @return whether it has the form of {@link #isHolder}, and the name of the holder
	 * ends with {@link #LEADER}
	 */
	public static boolean isLeader(Bytes value) {
		int start = nameLength(value) - LEADER_BYTES.length();
		return start >= 0 && value.slice(start, start + LEADER_BYTES.length()).equals(LEADER_BYTES);
	}

	/**
	 * Returns the name in the value of a held lock, without the mark of a leader.
	 * @param value the value of a key
	 * @return the name of the holder, or the entire value if it does not have the form of
	 * {@link #isHolder}
	 */
	public static Bytes holderName(Bytes value) {
		int length = nameLength(value);
		if (length < 0) {
			return value;
		}
		return value.slice(0, isLeader(value) ? length - LEADER_BYTES.length() : length);
	}

	private static int nameLength(Bytes value) {
		int digit = value.length() - 1;
		if (digit < UUID_LENGTH + 2 || value.length() > MAX_HOLDER_LENGTH) {
			return -1;
		}
		while (digit >= 0 && isDigit(value.at(digit))) {
			digit--;
		}
		int uuid = digit - UUID_LENGTH;
		boolean numbered = digit < value.length() - 1 && value.at(digit + 1) != '0';
		return (numbered && uuid >= 1 && value.at(digit) == '/' && value.at(uuid - 1) == '/' && isUuid(value, uuid))
				? uuid - 1 : -1;
	}

	private static boolean isUuid(Bytes value, int start) {
		for (int i = 0; i < UUID_LENGTH; i++) {
			byte character = value.at(start + i);
			boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
			boolean valid = dash ? character == '-' : isDigit(character) || (character >= 'a' && character <= 'f');
			if (!valid) {
				return false;
			}
		}
		return true;
	}

	private static boolean isDigit(byte character) {
		return character >= '0' && character <= '9';
	}

}
