package io.statestore.client.lock;

import java.time.Duration;

import io.statestore.protocol.Version;

/** Difference between waiting for a lock and waiting for its successor lock. */
interface WaitStyle {

	/** Requests the lock as soon as it is released, without a limit of its own. */
	WaitStyle URGENT = new WaitStyle() {

		@Override
		public Duration recordRelease() {
			return Duration.ZERO;
		}

		@Override
		public boolean recordRefusal(Version stored) {
			return false;
		}

	};

	/**
	 * Records a release.
	 * @return the pause before the next request
	 */
	Duration recordRelease();

	/**
	 * Records the reply that another holder has the lock.
	 * @param stored version of the key
	 * @return whether to stop waiting
	 */
	boolean recordRefusal(Version stored);

}
