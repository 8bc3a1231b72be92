package io.statestore.protocol;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The answer of the state store to a {@link Command} (protocol sections 2 and 3).
 * {@link Replies} turns it into bytes and back.
 */
public sealed interface Reply {

	/** {@code +OK}: stored, or observed. */
	record Ok() implements Reply {
	}

	/** A bulk string: the value of a key. */
	record Value(Bytes value) implements Reply {
	}

	/** A null bulk string: the key is absent. */
	record Missing() implements Reply {
	}

	/**
	 * A number: keys deleted (0 or 1), 0 where nothing was observed, or
	 * {@link #NOT_APPLIED}.
	 */
	record Count(long number) implements Reply {

		/** The condition of a SET or VDEL did not hold; nothing changed. */
		public static final Count NOT_APPLIED = new Count(-1);

	}

	/**
	 * One page of a SCAN.
	 *
	 * @param keys the keys of this page, perhaps none
	 * @param token where the next page begins, {@code null} on the last page
	 */
	record Page(List<Bytes> keys, @Nullable Bytes token) implements Reply {

		public Page {
			keys = List.copyOf(keys);
		}

	}

	/**
	 * {@code -ERR}: the store refused the request and nothing changed.
	 *
	 * @param reason the typed reason
	 * @param text the text of the server, also for reasons this version does not know;
	 * one line
	 */
	record Error(ErrorReason reason, String text) implements Reply {

		public Error {
			if (text.indexOf('\r') >= 0 || text.indexOf('\n') >= 0) {
				throw new IllegalArgumentException("'text' must be one line");
			}
		}

		public Error(ErrorReason reason) {
			this(reason, reason.text());
		}

	}

}
