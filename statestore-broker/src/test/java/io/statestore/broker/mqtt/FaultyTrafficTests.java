package io.statestore.broker.mqtt;

import java.util.concurrent.TimeUnit;

import io.statestore.broker.log.LogException;

/**
 * Traffic while the broker's simulated disk is full at times and fails to force some
 * writes.
 */
class FaultyTrafficTests extends SimulatedTrafficTests {

	@Override
	int start() {
		try {
			return super.start();
		}
		catch (LogException ex) {
			// This is the fault that was to follow the end of the process.
			return super.start();
		}
	}

	@Override
	boolean isFaulty() {
		return true;
	}

	@Override
	void disturb() throws Exception {
		if (this.random.nextBoolean()) {
			this.disk.failNextForce();
		}
		else {
			this.disk.full(true);
			TimeUnit.MILLISECONDS.sleep(this.random.nextInt(200));
			this.disk.full(false);
		}
	}

}
