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

	/**
	 * Describes the end of a connection by a failure, without names of Java classes where
	 * the failure has a message.
	 * @param problem the problem, such as "a message could not be sent"
	 * @param failure the failure that caused it
	 * @return the cause of the end, as shown in the log
	 */
	public static String describe(String problem, Throwable failure) {
		Throwable root = failure;
		while (root.getCause() != null && root.getCause() != root) {
			root = root.getCause();
		}
		String message = root.getMessage();
		return problem + ": " + ((message != null) ? message : root.getClass().getSimpleName());
	}

}
