package io.statestore.protocol;

/**
 * Bytes or texts from the other side that are not what the protocol says. The only
 * exception that the parsers of this package throw.
 */
public final class ProtocolException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final ErrorReason reason;

	public ProtocolException(ErrorReason reason) {
		this(reason, reason.text());
	}

	public ProtocolException(ErrorReason reason, String message) {
		// Thrown for every malformed request a server gets: no stack trace to fill.
		super(message, null, false, false);
		this.reason = reason;
	}

	/** The reason a server answers with. */
	public ErrorReason reason() {
		return this.reason;
	}

}
