package io.statestore.protocol;

/**
 * Thrown when received data violates the protocol. The decoders of this package throw no
 * other exception. Has no stack trace, because servers throw it for every malformed
 * request.
 */
public final class ProtocolException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final ErrorReason reason;

	/**
	 * Creates an exception with the text of the reason as its message.
	 * @param reason the reason to reply
	 */
	public ProtocolException(ErrorReason reason) {
		this(reason, reason.text());
	}

	/**
	 * Creates an exception.
	 * @param reason the reason to reply
	 * @param message the message
	 */
	public ProtocolException(ErrorReason reason, String message) {
		super(message, null, false, false);
		this.reason = reason;
	}

	/**
	 * Returns the reason that a server replies.
	 * @return the reason
	 */
	public ErrorReason reason() {
		return this.reason;
	}

}
