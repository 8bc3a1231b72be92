package io.statestore.protocol;

/**
 * Reasons why the state store refuses a request (protocol section 3), with the exact text
 * of the error reply.
 */
public enum ErrorReason {

	/** The client's clock is more than a minute ahead of the store's clock. */
	TIMESTAMP_TOO_FAR_IN_FUTURE(
			"the request timestamp is too far in the future; ensure that the client and broker system clocks are synchronized"),

	/** The key is protected by a fencing token, but the request does not have one. */
	FENCING_TOKEN_REQUIRED("a fencing token is required for this request"),

	/** The fencing token is more than a minute ahead of the store's clock. */
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

	/** The command's verb is unknown. */
	UNKNOWN_COMMAND("unknown command"),

	/** The command has too few or too many arguments. */
	WRONG_NUMBER_OF_ARGUMENTS("wrong number of arguments"),

	/** A SET lacks the {@code __ts} user property. */
	MISSING_TIMESTAMP("missing timestamp"),

	/** {@code __ts} or {@code __ft} is not a reading of a hybrid logical clock. */
	MALFORMED_TIMESTAMP("malformed timestamp"),

	/** The key is empty. */
	KEY_LENGTH_ZERO("the key length is zero"),

	/** The value of a counter, or the sum, is not a whole number of 64 bits. */
	NOT_A_NUMBER("not a whole number of 64 bits"),

	/** This version of the library does not know the reason. */
	UNKNOWN("");

	private final String text;

	ErrorReason(String text) {
		this.text = text;
	}

	/**
	 * Returns the text that follows {@code -ERR} in the reply.
	 * @return the text, empty for {@link #UNKNOWN}
	 */
	public String text() {
		return this.text;
	}

	/**
	 * Returns the reason with a text. Also accepts the wording in the published articles
	 * ("a lower version that").
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
