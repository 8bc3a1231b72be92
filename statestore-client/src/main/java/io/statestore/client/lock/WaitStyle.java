package io.statestore.client.lock;

import java.time.Duration;

import io.statestore.protocol.Version;

/** Difference between waiting for a lock and for its successor lock. */
interface WaitStyle {

	/** Requests the lock as soon as it is released, and never gives up. */
	WaitStyle URGENT = new WaitStyle() {

		@Override
		public Duration pauseAfterRelease() {
			return Duration.ZERO;
		}

		@Override
		public boolean givesUp(Version stored) {
			return false;
		}

	};

	/** Returns the pause between a release and the next request. */
	Duration pauseAfterRelease();

	/**
	 * Whether to stop waiting for a lock that is held.
	 * @param stored version of its key
	 */
	boolean givesUp(Version stored);

}
