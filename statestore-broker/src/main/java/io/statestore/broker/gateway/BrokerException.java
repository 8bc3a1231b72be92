package io.statestore.broker.gateway;

import org.jspecify.annotations.Nullable;

/** Why there is no connection to the broker. */
class BrokerException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	BrokerException(String message) {
		this(message, null);
	}

	BrokerException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

	/** The innermost message of a failure. */
	static String reason(Throwable failure) {
		Throwable root = failure;
		while (root.getCause() != null) {
			root = root.getCause();
		}
		return (root.getMessage() != null) ? root.getMessage() : root.toString();
	}

	/** The broker sent something that is no MQTT packet: it may do so again. */
	static final class Malformed extends BrokerException {

		private static final long serialVersionUID = 1L;

		Malformed(Throwable cause) {
			super("the broker sent a malformed packet: " + reason(cause), cause);
		}

	}

}
