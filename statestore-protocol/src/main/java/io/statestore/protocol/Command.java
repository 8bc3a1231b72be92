package io.statestore.protocol;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A command to the state store (protocol section 2). {@link Commands} encodes and decodes
 * it.
 */
public sealed interface Command {

	/**
	 * Returns the total size of the command's key, value, pattern, and token.
	 * @return the size in bytes
	 */
	long length();

	/**
	 * A command that changes one key. The store checks its fencing token (protocol
	 * section 5).
	 */
	sealed interface Write extends Keyed {

		/**
		 * Returns whether the command stores a value, rather than deleting the key.
		 * @return whether it is a {@link Set} or an {@link Increment}
		 */
		default boolean stores() {
			return this instanceof Set || this instanceof Increment;
		}

	}

	/**
	 * A command that reads the store and changes nothing, so it can safely be repeated.
	 */
	sealed interface Read extends Command {

	}

	/** A command that refers to one key. */
	sealed interface Keyed extends Command {

		/**
		 * Returns the key.
		 * @return the key, which may be a slice of a request
		 */
		Bytes key();

		@Override
		default long length() {
			return key().length();
		}

	}

	/**
	 * Stores a value. A SET without an expiry removes an earlier expiry.
	 *
	 * @param key the key, at least one byte
	 * @param value the value, possibly empty
	 * @param condition the condition under which the value is stored
	 * @param expiry the time until the key expires, at least one millisecond. Fractions
	 * of a millisecond are rounded up when sent. {@code null} for no expiry or, with
	 * {@link Condition#IF_VERSION}, to keep the current expiry
	 * @param expected the version that {@link Condition#IF_VERSION} requires, or the
	 * value with which {@link Condition#IF_ABSENT_OR_EQUAL} compares the stored value;
	 * only the articles' dialect can send such a value. {@code null} to compare with the
	 * new value
	 */
	record Set(Bytes key, Bytes value, Condition condition, @Nullable Duration expiry,
			@Nullable Bytes expected) implements Write {

		/**
		 * Creates a command. Drops an expected value that equals the new value.
		 * @throws IllegalArgumentException if the condition needs a version
		 */
		public Set {
			if (condition == Condition.IF_VERSION && expected == null) {
				throw new IllegalArgumentException("'expected' must be a version");
			}
			expected = (condition != Condition.IF_VERSION && value.equals(expected)) ? null : expected;
		}

		/**
		 * Creates a command whose condition, if any, compares the stored value with the
		 * new value.
		 * @param key the key, at least one byte
		 * @param value the value to store
		 * @param condition the condition under which the value is stored
		 * @param expiry the time until the key expires, or {@code null}
		 */
		public Set(Bytes key, Bytes value, Condition condition, @Nullable Duration expiry) {
			this(key, value, condition, expiry, null);
		}

		/**
		 * Creates a command that stores a value unconditionally and without an expiry.
		 * @param key the key, at least one byte
		 * @param value the value to store
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
	 * Adds a number to the value of a key, which is a whole number in decimal digits. An
	 * absent key counts as 0. The key keeps its expiry. The reply is the sum.
	 *
	 * @param key the key, at least one byte
	 * @param delta the number to add, possibly negative
	 * @param expiry the time until the key expires if it was absent, at least one
	 * millisecond, or {@code null} for no expiry
	 */
	record Increment(Bytes key, long delta, @Nullable Duration expiry) implements Write {

		/**
		 * Creates a command that creates a key without an expiry if it is absent.
		 * @param key the key, at least one byte
		 * @param delta the number to add, possibly negative
		 */
		public Increment(Bytes key, long delta) {
			this(key, delta, null);
		}

		/**
		 * Returns the sum.
		 * @param value the value of the key, or {@code null} if the key is absent
		 * @return the new value as a number
		 * @throws ProtocolException if the value is not a number of 64 bits, or the sum
		 * exceeds 64 bits
		 */
		public long sum(@Nullable Bytes value) {
			long number;
			try {
				number = (value != null) ? RespReader.number(value) : 0;
			}
			catch (ProtocolException ex) {
				throw new ProtocolException(ErrorReason.NOT_A_NUMBER);
			}
			// Unlike Math.addExact, creates no stack trace on overflow.
			long sum = number + this.delta;
			if (((number ^ sum) & (this.delta ^ sum)) < 0) {
				throw new ProtocolException(ErrorReason.NOT_A_NUMBER);
			}
			return sum;
		}

	}

	/**
	 * Reads the value of a key.
	 *
	 * @param key the key to read
	 */
	record Get(Bytes key) implements Keyed, Read {
	}

	/**
	 * Reads the time until a key expires.
	 *
	 * @param key the key to read
	 */
	record Ttl(Bytes key) implements Keyed, Read {
	}

	/**
	 * Deletes a key.
	 *
	 * @param key the key to delete
	 */
	record Del(Bytes key) implements Write {
	}

	/**
	 * Deletes a key if it has an expected value.
	 *
	 * @param key the key to delete
	 * @param value the expected value, compared byte by byte
	 */
	record VDel(Bytes key, Bytes value) implements Write {

		@Override
		public long length() {
			return (long) this.key.length() + this.value.length();
		}
	}

	/**
	 * Starts watching a key. The store sends changes of the key to the client's
	 * connection (protocol section 6).
	 *
	 * @param key the key to watch
	 */
	record KeyNotify(Bytes key) implements Keyed {
	}

	/**
	 * Stops watching a key.
	 *
	 * @param key the watched key
	 */
	record KeyNotifyStop(Bytes key) implements Keyed {
	}

	/**
	 * Starts watching all keys that match a pattern, including keys that are created
	 * later. The store sends changes of the keys that the client may read.
	 *
	 * @param pattern a glob pattern, as in {@link Scan}
	 */
	record PatternNotify(Bytes pattern) implements Command {

		@Override
		public long length() {
			return this.pattern.length();
		}
	}

	/**
	 * Stops watching a pattern.
	 *
	 * @param pattern the watched pattern, which must be equal byte by byte
	 */
	record PatternNotifyStop(Bytes pattern) implements Command {

		@Override
		public long length() {
			return this.pattern.length();
		}
	}

	/**
	 * Lists the keys that match a pattern, one page at a time.
	 *
	 * @param pattern a glob pattern that must match the entire key: {@code *}, {@code ?},
	 * {@code [abc]}, {@code [a-z]}, {@code [!abc]}
	 * @param token the token of the previous page, or {@code null} for the first page
	 */
	record Scan(Bytes pattern, @Nullable Bytes token) implements Read {

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

		/**
		 * {@code NEX}: the key is absent, or already has the new value or the expected
		 * value.
		 */
		IF_ABSENT_OR_EQUAL,

		/**
		 * {@code REPLACE}: the key has the expected version. It keeps its expiry unless
		 * the command has an expiry.
		 */
		IF_VERSION

	}

}
