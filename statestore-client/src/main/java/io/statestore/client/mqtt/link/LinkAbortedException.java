package io.statestore.client.mqtt.link;

/**
 * Cause of the end of a connection that the client has ended because it was unusable.
 * <p>
 * Internal: not part of the API.
 */
public final class LinkAbortedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param cause the cause, as shown in the log
	 */
	public LinkAbortedException(String cause) {
		super(cause);
	}

}
