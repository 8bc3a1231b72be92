package io.statestore.protocol;

/**
 * A reason for which the state store refuses a request (protocol section 3), with the
 * exact text of the error reply.
 */
public enum ErrorReason {

	/** The clock of the client is more than a minute ahead of the clock of the store. */
	TIMESTAMP_TOO_FAR_IN_FUTURE(
			"the request timestamp is too far in the future; ensure that the client and broker system clocks are synchronized"),

	/** The key is protected by a fencing token, but the request has none. */
	FENCING_TOKEN_REQUIRED("a fencing token is required for this request"),

	/** The fencing token is more than a minute ahead of the clock of the store. */
	FENCING_TOKEN_TOO_FAR_IN_FUTURE(
			"the request fencing token timestamp is too far in the future; ensure that the client and broker system clocks are synchronized"),

	/**
	 * The key was written with a newer fencing token. The sender no longer holds the
	 * lock.
	 */
	FENCING_TOKEN_LOWER_VERSION(
			"the request fencing token is a lower version than the fencing token protecting the resource"),

	/** The store has reached its limit of keys, bytes, or client memory. */
	QUOTA_EXCEEDED("the quota has been exceeded"),

	/** The payload is not a well-formed command. */
	SYNTAX_ERROR("syntax error"),

	/** The client is not permitted to send this request. */
	NOT_AUTHORIZED("not authorized"),

	/** The verb of the command is unknown. */
	UNKNOWN_COMMAND("unknown command"),

	/** The command has too few or too many arguments. */
	WRONG_NUMBER_OF_ARGUMENTS("wrong number of arguments"),

	/** A SET has no user property {@code __ts}. */
	MISSING_TIMESTAMP("missing timestamp"),

	/** {@code __ts} or {@code __ft} is not a reading of a hybrid logical clock. */
	MALFORMED_TIMESTAMP("malformed timestamp"),

	/** The key is empty. */
	KEY_LENGTH_ZERO("the key length is zero"),

	/** The reason is not known to this version of the library. */
	UNKNOWN("");

	private final String text;

	ErrorReason(String text) {
		this.text = text;
	}

	/**
	 * Returns the text after {@code -ERR}.
	 * @return the text, empty for {@link #UNKNOWN}
	 */
	public String text() {
		return this.text;
	}

	/**
	 * Returns the reason with a text. The spelling of the published articles ("a lower
	 * version that") is accepted as well.
	 * @param text the text of an error reply
	 * @return the reason, {@link #UNKNOWN} if no reason has this text
	 */
	public static ErrorReason of(String text) {
		String normal = text.replace("a lower version that ", "a lower version than ");
		for (ErrorReason reason : values()) {
			if (reason != UNKNOWN && reason.text.equals(normal)) {
				return reason;
			}
		}
		return UNKNOWN;
	}

}
