package io.statestore.client.lock;

import java.time.Duration;

/**
 * Receives measurements of the locks of a {@link StateStoreLockRegistry}, for example to
 * publish them as metrics. Called on threads that acquire locks and on threads of the
 * client, which it must not block. Its exceptions are logged.
 */
public interface LockMonitor {

	/** Outcome of an attempt to acquire a lock. */
	enum Outcome {

		/** The lock was acquired. */
		ACQUIRED,

		/** Another holder had the lock during the entire wait. */
		NOT_ACQUIRED,

		/** The attempt ended with an exception, such as an interrupt. */
		FAILED

	}

	/**
	 * Called at the end of an attempt to acquire a lock that its thread does not hold.
	 * @param outcome the outcome
	 * @param wait time since the start of the attempt
	 */
	default void waited(Outcome outcome, Duration wait) {
	}

	/**
	 * Called when the store has confirmed a renewal.
	 * @param latency time from the request to the reply
	 */
	default void renewed(Duration latency) {
	}

	/**
	 * Called when a renewal was not confirmed. Further attempts follow while the lock is
	 * held.
	 */
	default void renewalFailed() {
	}

	/**
	 * Called when a held lock is lost.
	 * @param reason the reason
	 */
	default void lost(LockLostEvent.Reason reason) {
	}

}
