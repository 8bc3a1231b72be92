package io.statestore.testing.broker;

import java.time.Duration;

import io.statestore.protocol.ErrorReason;

/** A fault's effect on a message. */
sealed interface FaultAction {

	/**
	 * The message arrives later.
	 *
	 * @param delay how much later, not negative
	 */
	record Delay(Duration delay) implements FaultAction {
	}

	/** The message is lost. */
	record Drop() implements FaultAction {
	}

	/** The message is lost, and its client's connection ends. */
	record Cut() implements FaultAction {
	}

	/**
	 * The request has no effect, and its reply is an error.
	 *
	 * @param reason error that the client receives
	 */
	record Refuse(ErrorReason reason) implements FaultAction {
	}

}
