package io.statestore.protocol;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A command to the state store (protocol section 2). {@link Commands} encodes and decodes
 * it.
 */
public sealed interface Command {

	/**
	 * Returns the total size of keys, values, patterns, and tokens.
	 * @return the size in bytes
	 */
	long length();

	/**
	 * A command that changes one key. The store checks its fencing token (protocol
	 * section 5).
	 */
	sealed interface Write extends Keyed {

	}

	/** A command about one key. */
	sealed interface Keyed extends Command {

		/**
		 * Returns the key.
		 * @return the key
		 */
		Bytes key();

		@Override
		default long length() {
			return key().length();
		}

	}

	/**
	 * Stores a value. A set without expiry removes an earlier expiry.
	 *
	 * @param key the key, at least one byte
	 * @param value the value, possibly empty
	 * @param condition the condition under which the value is stored
	 * @param expiry the time until the key expires, at least one millisecond. Fractions
	 * of a millisecond are rounded up when sent. {@code null} for no expiry
	 * @param expected the value that {@link Condition#IF_ABSENT_OR_EQUAL} compares the
	 * stored value with, which only the form of the published articles can send.
	 * {@code null} for the new value
	 */
	record Set(Bytes key, Bytes value, Condition condition, @Nullable Duration expiry,
			@Nullable Bytes expected) implements Write {

		/** Drops an expected value that is the new value. */
		public Set {
			expected = value.equals(expected) ? null : expected;
		}

		/**
		 * Creates a command whose condition, if any, compares the stored value with the
		 * new one.
		 * @param key the key
		 * @param value the value
		 * @param condition the condition under which the value is stored
		 * @param expiry the time until the key expires, or {@code null}
		 */
		public Set(Bytes key, Bytes value, Condition condition, @Nullable Duration expiry) {
			this(key, value, condition, expiry, null);
		}

		/**
		 * Creates a command that stores a value unconditionally and without expiry.
		 * @param key the key
		 * @param value the value
		 */
		public Set(Bytes key, Bytes value) {
			this(key, value, Condition.ALWAYS, null);
		}

		@Override
		public long length() {
			return (long) this.key.length() + this.value.length()
					+ ((this.expected != null) ? this.expected.length() : 0);
		}

	}

	/**
	 * Reads the value of a key.
	 *
	 * @param key the key
	 */
	record Get(Bytes key) implements Keyed {
	}

	/**
	 * Deletes a key.
	 *
	 * @param key the key
	 */
	record Del(Bytes key) implements Write {
	}

	/**
	 * Deletes a key if it has a certain value.
	 *
	 * @param key the key
	 * @param value the expected value, compared byte by byte
	 */
	record VDel(Bytes key, Bytes value) implements Write {

		@Override
		public long length() {
			return (long) this.key.length() + this.value.length();
		}
	}

	/**
	 * Starts the watch of a key. The store sends the changes of the key to this
	 * connection (protocol section 6).
	 *
	 * @param key the key
	 */
	record KeyNotify(Bytes key) implements Keyed {
	}

	/**
	 * Ends the watch of a key.
	 *
	 * @param key the key
	 */
	record KeyNotifyStop(Bytes key) implements Keyed {
	}

	/**
	 * Lists the keys that match a pattern, one page at a time.
	 *
	 * @param pattern a glob pattern that must match the entire key: {@code *}, {@code ?},
	 * {@code [abc]}, {@code [a-z]}, {@code [!abc]}
	 * @param token the token of the previous page, or {@code null} for the first page
	 */
	record Scan(Bytes pattern, @Nullable Bytes token) implements Command {

		@Override
		public long length() {
			return (long) this.pattern.length() + ((this.token != null) ? this.token.length() : 0);
		}
	}

	/** The condition under which a {@link Set} is applied. */
	enum Condition {

		/** Always. */
		ALWAYS,

		/** {@code NX}: the key is absent. */
		IF_ABSENT,

		/** {@code NEX}: the key is absent or already has the same or expected value. */
		IF_ABSENT_OR_EQUAL

	}

}
