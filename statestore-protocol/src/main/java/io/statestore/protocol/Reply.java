package io.statestore.protocol;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Reply of the state store to a {@link Command} (protocol sections 2 and 3).
 * {@link Replies} encodes and decodes it.
 */
public sealed interface Reply {

	/** {@code +OK}: the value was stored, or the observation started or ended. */
	record Ok() implements Reply {
	}

	/**
	 * A bulk string: the value of a key.
	 *
	 * @param value the value
	 */
	record Value(Bytes value) implements Reply {
	}

	/** A null bulk string: the key is absent. */
	record Missing() implements Reply {
	}

	/**
	 * A number: that of deleted keys, 0 if there was no observation to end, or
	 * {@link #NOT_APPLIED}.
	 *
	 * @param number the number
	 */
	record Count(long number) implements Reply {

		/** The condition of a SET or VDEL was false, and nothing has changed. */
		public static final Count NOT_APPLIED = new Count(-1);

	}

	/**
	 * One page of a SCAN.
	 *
	 * @param keys keys of this page, which may be empty
	 * @param token token of the next page, {@code null} on the last page
	 */
	record Page(List<Bytes> keys, @Nullable Bytes token) implements Reply {

		public Page {
			keys = List.copyOf(keys);
		}

	}

	/**
	 * {@code -ERR}: the store refused the request, and nothing has changed.
	 *
	 * @param reason the reason
	 * @param text text of the server in one line, also if the reason is unknown
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
