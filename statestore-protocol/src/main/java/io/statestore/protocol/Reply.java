package io.statestore.protocol;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The state store's reply to a {@link Command} (protocol sections 2 and 3).
 * {@link Replies} encodes and decodes it.
 */
public sealed interface Reply {

	/** {@code +OK}: the value was stored, or the key is watched. */
	record Ok() implements Reply {
	}

	/**
	 * A bulk string: the value of a key.
	 *
	 * @param value the value of the key
	 */
	record Value(Bytes value) implements Reply {
	}

	/** A null bulk string: the key is absent. */
	record Missing() implements Reply {
	}

	/**
	 * A number.
	 *
	 * @param number the number of deleted keys (0 or 1), 0 if the key was not watched, -1
	 * if a condition did not hold, or the sum of an increment
	 */
	record Count(long number) implements Reply {

		/**
		 * The reply if the condition of a SET or VDEL did not hold, so that the key is
		 * unchanged.
		 */
		public static final Count NOT_APPLIED = new Count(-1);

	}

	/**
	 * A SCAN page.
	 *
	 * @param keys the keys on this page, possibly none
	 * @param token the token with which to request the next page, or {@code null} on the
	 * last page
	 */
	record Page(List<Bytes> keys, @Nullable Bytes token) implements Reply {

		public Page {
			keys = List.copyOf(keys);
		}

	}

	/**
	 * {@code -ERR}: the store refused the request and is unchanged.
	 *
	 * @param reason the reason, {@link ErrorReason#UNKNOWN} if the text is not known
	 * @param text the text from the server, a single line
	 */
	record Error(ErrorReason reason, String text) implements Reply {

		public Error {
			if (text.indexOf('\r') >= 0 || text.indexOf('\n') >= 0) {
				throw new IllegalArgumentException("'text' must be one line");
			}
		}

		/**
		 * Creates an error with its reason's text.
		 * @param reason the reason, whose text is sent
		 */
		public Error(ErrorReason reason) {
			this(reason, reason.text());
		}

	}

}
