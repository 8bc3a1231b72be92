package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.statestore.client.internal.LockMonitors;
import io.statestore.protocol.Bytes;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Number of requests for a hand-over of a lock, in a simulated world without faults. */
class HandOverTests {

	private static final int WAITERS = 50;

	private final LockWorld world = new LockWorld(42, SimulatedFaults.NONE, false);

	private final List<Long> waits = new ArrayList<>();

	private int served;

	private long releasedAt;

	@ParameterizedTest
	@CsvSource({ "1000, 3", "100, 3", "10, 4", "1, 15" })
	void releaseCausesFewRequestsDespiteManyWaiters(int heldMillis, int maxSuccessorRequests) {
		this.world.calm(250);
		for (int i = 0; i < WAITERS; i++) {
			SimulatedNode node = this.world.node("n" + i);
			// All waiters request the lock while the first one holds it.
			node.schedule(Duration.ofMillis(2L * i), () -> acquire(node, (this.served == 0) ? 1500 : heldMillis));
		}
		this.world.run(1_000_000_000L);
		this.world.requests.clear();
		this.world.run(100_000_000_000L);
		assertThat(this.served).isEqualTo(WAITERS);
		double perRelease = this.world.requests.getOrDefault(LockWorld.LOCK, 0) / (double) WAITERS;
		double successorRequests = this.world.requests.getOrDefault(LockWorld.SUCCESSOR, 0) / (double) WAITERS;
		this.waits.sort(null);
		// One when a waiter becomes the successor, one when the lock is released.
		assertThat(perRelease).isLessThanOrEqualTo(2);
		assertThat(successorRequests).isLessThan(maxSuccessorRequests);
		// Two round trips of 0.5 ms. The first holder did not wait.
		assertThat(this.waits.get(WAITERS / 2)).isLessThan(1_100_000);
	}

	private void acquire(SimulatedNode node, int heldMillis) {
		LockTerms terms = new LockTerms(Duration.ofSeconds(30), true);
		Bytes holder = Bytes.of(node.name);
		new Acquisition(
				new RequestedLock(LockWorld.LOCK, node.store(LockWorld.LOCK), node, new LockMonitors(), terms, holder),
				() -> new RequestedLock(LockWorld.SUCCESSOR, node.store(LockWorld.SUCCESSOR), node, new LockMonitors(),
						terms.ofSuccessor(), holder),
				WaitLimit.of(node, WaitLimit.FOREVER))
			.start()
			.thenAccept((lease) -> {
				this.served++;
				this.waits.add(this.world.now() - this.releasedAt);
				node.schedule(Duration.ofMillis(heldMillis), () -> {
					this.releasedAt = this.world.now();
					lease.release();
				});
			});
	}

}
