package io.statestore.broker.gateway;

import org.jspecify.annotations.Nullable;

/** Thrown if the gateway cannot connect to the broker or loses the connection. */
final class BrokerException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	BrokerException(String message) {
		this(message, null);
	}

	BrokerException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
