package io.statestore.broker.mqtt;

import io.statestore.broker.log.TestDisk;

/**
 * Traffic during stops, kills, and power failures of a broker on a simulated disk. Their
 * number can be set, for example with {@code -Dsession.cuts=200}.
 */
class SimulatedTrafficTests extends TrafficTest {

	final TestDisk disk = new TestDisk(this.random.nextLong());

	private final DurableBroker broker = DurableBroker.on(this.disk).withSnapshots(1 << 20);

	@Override
	int start() {
		return this.broker.start().port();
	}

	@Override
	void end() {
		switch (this.random.nextInt(3)) {
			case 0 -> this.disk.kill();
			case 1 -> this.disk.cutPower();
			default -> {
			}
		}
		this.broker.close();
	}

	@Override
	int rounds() {
		return Integer.getInteger("session.cuts", 20);
	}

}
