package io.statestore.protocol;

/**
 * Reason why the state store refused a request (protocol section 3), with its text on the
 * wire.
 */
public enum ErrorReason {

	/** The timestamp of the request is more than a minute ahead of the server's clock. */
	TIMESTAMP_TOO_FAR_IN_FUTURE(
			"the request timestamp is too far in the future; ensure that the client and broker system clocks are synchronized"),

	/** A fencing token protects the key, and the request has none. */
	FENCING_TOKEN_REQUIRED("a fencing token is required for this request"),

	/** The fencing token is more than a minute ahead of the server's clock. */
	FENCING_TOKEN_TOO_FAR_IN_FUTURE(
			"the request fencing token timestamp is too far in the future; ensure that the client and broker system clocks are synchronized"),

	/** The token is older than that of the key, so the sender no longer holds the lock. */
	FENCING_TOKEN_LOWER_VERSION(
			"the request fencing token is a lower version than the fencing token protecting the resource"),

	/** The maximum number or size of the keys is reached. */
	QUOTA_EXCEEDED("the quota has been exceeded"),

	/** The payload is not a well-formed command. */
	SYNTAX_ERROR("syntax error"),

	/** The client is not allowed to execute the command. */
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

	/** The reason is unknown to this version; see {@link Reply.Error#text()}. */
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
	 * Returns the reason with a given text. Accepts the spelling of the published articles
	 * ("a lower version that") too.
	 * @param text the text after {@code -ERR}
	 * @return the reason, {@link #UNKNOWN} if there is none
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
