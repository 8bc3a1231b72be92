package io.statestore.protocol;

/**
 * Why the state store refused a request (protocol section 3), with the exact text that
 * goes over the wire.
 */
public enum ErrorReason {

	/** The clock of the client is more than a minute ahead of the broker's. */
	TIMESTAMP_TOO_FAR_IN_FUTURE(
			"the request timestamp is too far in the future; ensure that the client and broker system clocks are synchronized"),

	/** The key is protected by a fencing token and the request carried none. */
	FENCING_TOKEN_REQUIRED("a fencing token is required for this request"),

	/** The fencing token is more than a minute ahead of the broker's clock. */
	FENCING_TOKEN_TOO_FAR_IN_FUTURE(
			"the request fencing token timestamp is too far in the future; ensure that the client and broker system clocks are synchronized"),

	/** A newer token has written the key: the sender no longer holds the lock. */
	FENCING_TOKEN_LOWER_VERSION(
			"the request fencing token is a lower version than the fencing token protecting the resource"),

	/** The store holds as many keys or bytes as it may. */
	QUOTA_EXCEEDED("the quota has been exceeded"),

	/** The payload is not a well-formed command. */
	SYNTAX_ERROR("syntax error"),

	/** The client may not do this. */
	NOT_AUTHORIZED("not authorized"),

	/** The verb of the command is not known. */
	UNKNOWN_COMMAND("unknown command"),

	/** The verb is known but has too few or too many arguments. */
	WRONG_NUMBER_OF_ARGUMENTS("wrong number of arguments"),

	/** A SET came without the user property {@code __ts}. */
	MISSING_TIMESTAMP("missing timestamp"),

	/** {@code __ts} or {@code __ft} is not a hybrid logical clock. */
	MALFORMED_TIMESTAMP("malformed timestamp"),

	/** The key has no bytes. */
	KEY_LENGTH_ZERO("the key length is zero"),

	/** A reason this version does not know; see the text that came with it. */
	UNKNOWN("");

	private final String text;

	ErrorReason(String text) {
		this.text = text;
	}

	/** The text after {@code -ERR}; empty for {@link #UNKNOWN}. */
	public String text() {
		return this.text;
	}

	/**
	 * The reason a text stands for, {@link #UNKNOWN} if none. Also accepts the spelling
	 * of the published articles ("a lower version that").
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
