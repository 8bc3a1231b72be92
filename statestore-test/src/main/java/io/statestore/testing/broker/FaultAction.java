package io.statestore.testing.broker;

import java.time.Duration;

import io.statestore.protocol.ErrorReason;

/** Effect of a fault on a message. */
sealed interface FaultAction {

	/**
	 * The message arrives later.
	 *
	 * @param delay the delay, not negative
	 */
	record Delay(Duration delay) implements FaultAction {
	}

	/** The message is lost. */
	record Drop() implements FaultAction {
	}

	/** The message is lost, and the connection of its client ends. */
	record Cut() implements FaultAction {
	}

	/**
	 * The request has no effect and an error as its reply.
	 *
	 * @param reason the error
	 */
	record Refuse(ErrorReason reason) implements FaultAction {
	}

}
