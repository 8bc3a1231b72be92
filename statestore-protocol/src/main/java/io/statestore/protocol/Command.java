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
	 * @return size in bytes
	 */
	long length();

	/** A command that changes one key and may have a fencing token (section 5). */
	sealed interface Write extends Command {

		/**
		 * Returns the key to change.
		 * @return at least one byte
		 */
		Bytes key();

	}

	/**
	 * Stores a value. Without an expiry, an earlier expiry of the key is removed.
	 *
	 * @param key the key, at least one byte
	 * @param value the value, which may be empty
	 * @param condition condition under which the value is stored
	 * @param expiry time after which the key expires, 1 to {@link Long#MAX_VALUE} ms;
	 * encoded in milliseconds, rounded up. {@code null} for no expiry
	 */
	record Set(Bytes key, Bytes value, Condition condition, @Nullable Duration expiry) implements Write {

		/**
		 * Creates a command that stores a value unconditionally and without expiry.
		 * @param key the key, at least one byte
		 * @param value the value
		 */
		public Set(Bytes key, Bytes value) {
			this(key, value, Condition.ALWAYS, null);
		}

		@Override
		public long length() {
			return (long) this.key.length() + this.value.length();
		}

	}

	/**
	 * Reads the value of a key.
	 *
	 * @param key the key, at least one byte
	 */
	record Get(Bytes key) implements Command {

		@Override
		public long length() {
			return this.key.length();
		}
	}

	/**
	 * Deletes a key.
	 *
	 * @param key the key, at least one byte
	 */
	record Del(Bytes key) implements Write {

		@Override
		public long length() {
			return this.key.length();
		}
	}

	/**
	 * Deletes a key if it has a given value.
	 *
	 * @param key the key, at least one byte
	 * @param value the expected value
	 */
	record VDel(Bytes key, Bytes value) implements Write {

		@Override
		public long length() {
			return (long) this.key.length() + this.value.length();
		}
	}

	/**
	 * Starts the observation of a key, whose changes are sent to the client (section 6).
	 *
	 * @param key the key, at least one byte
	 */
	record KeyNotify(Bytes key) implements Command {

		@Override
		public long length() {
			return this.key.length();
		}
	}

	/**
	 * Ends the observation of a key.
	 *
	 * @param key the key, at least one byte
	 */
	record KeyNotifyStop(Bytes key) implements Command {

		@Override
		public long length() {
			return this.key.length();
		}
	}

	/**
	 * Lists the keys that match a pattern, one page at a time.
	 *
	 * @param pattern pattern for whole keys, with {@code *}, {@code ?}, {@code [abc]},
	 * {@code [a-z]}, and {@code [!abc]}
	 * @param token token of the previous page, {@code null} for the first page
	 */
	record Scan(Bytes pattern, @Nullable Bytes token) implements Command {

		@Override
		public long length() {
			return (long) this.pattern.length() + ((this.token != null) ? this.token.length() : 0);
		}
	}

	/** Condition under which a {@link Set} is applied. */
	enum Condition {

		/** Always. */
		ALWAYS,

		/** {@code NX}: only if the key is absent. */
		IF_ABSENT,

		/**
		 * {@code NEX}: only if the key is absent or already has the value being set.
		 */
		IF_ABSENT_OR_EQUAL

	}

}
