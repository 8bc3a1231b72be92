package io.statestore.protocol;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A request to the state store (protocol section 2). {@link Commands} turns it into bytes
 * and back.
 */
public sealed interface Command {

	/** A command that changes the value of one key and may be fenced (section 5). */
	sealed interface Write extends Command {

		/** The key to change. */
		Bytes key();

	}

	/**
	 * Store a value. Without an expiry an earlier expiry of the key is cleared.
	 *
	 * @param key any bytes, at least one
	 * @param value any bytes, none is fine
	 * @param condition when to store
	 * @param expiry whole milliseconds, at least one, up to {@link Long#MAX_VALUE}; parts
	 * of a millisecond are sent rounded up. {@code null} to keep the value until it is
	 * changed
	 */
	record Set(Bytes key, Bytes value, Condition condition, @Nullable Duration expiry) implements Write {

		/** Store unconditionally and without expiry. */
		public Set(Bytes key, Bytes value) {
			this(key, value, Condition.ALWAYS, null);
		}

	}

	/** Read the value of a key. */
	record Get(Bytes key) implements Command {
	}

	/** Delete a key. */
	record Del(Bytes key) implements Write {
	}

	/** Delete a key if it has exactly this value. */
	record VDel(Bytes key, Bytes value) implements Write {
	}

	/** Start observing a key: its changes are pushed to this connection (section 6). */
	record KeyNotify(Bytes key) implements Command {
	}

	/** Stop observing a key. */
	record KeyNotifyStop(Bytes key) implements Command {
	}

	/**
	 * List the keys that match a pattern, one page at a time.
	 *
	 * @param pattern {@code *}, {@code ?}, {@code [abc]}, {@code [a-z]}, {@code [!abc]}
	 * over the whole key
	 * @param token where the last page ended, as the server gave it; {@code null} for the
	 * first page
	 */
	record Scan(Bytes pattern, @Nullable Bytes token) implements Command {
	}

	/** When a {@link Set} is applied. */
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
