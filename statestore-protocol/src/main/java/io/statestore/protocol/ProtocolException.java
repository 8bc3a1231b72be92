package io.statestore.protocol;

/**
 * Thrown when received data violates the protocol. The parsers in this package do not
 * throw other exceptions.
 */
public final class ProtocolException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final ErrorReason reason;

	/**
	 * Creates an exception whose message is the reason's text.
	 * @param reason the reason for the error reply
	 */
	public ProtocolException(ErrorReason reason) {
		this(reason, reason.text());
	}

	/**
	 * Creates an exception with a message. It does not have a stack trace, because a
	 * server throws such an exception for each malformed request.
	 * @param reason the reason for the error reply
	 * @param message the detail message
	 */
	public ProtocolException(ErrorReason reason, String message) {
		super(message, null, false, false);
		this.reason = reason;
	}

	/**
	 * Returns the reason for the error reply.
	 * @return the reason, {@link ErrorReason#UNKNOWN} if a server sent an unknown text
	 */
	public ErrorReason reason() {
		return this.reason;
	}

}
