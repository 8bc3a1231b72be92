package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.statestore.client.lock.LockWorld.Node;
import io.statestore.protocol.Bytes;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many requests it takes to hand a lock over, in a world where nothing goes wrong.
 */
class HandOverTests {

	private static final int WAITERS = 50;

	private final LockWorld world = new LockWorld(42, LockWorld.Scenario.CALM, false);

	private final List<Long> waits = new ArrayList<>();

	private int served;

	private long freedAt;

	@ParameterizedTest
	@CsvSource({ "1000, 3", "100, 3", "10, 4", "1, 15" })
	void aReleaseIsFollowedByFewRequestsHoweverManyWait(int heldMillis, int requestsInLine) {
		this.world.calm(250);
		for (int i = 0; i < WAITERS; i++) {
			Node node = this.world.node("n" + i);
			// All come while the first holds the lock.
			node.schedule(Duration.ofMillis(2L * i), () -> acquire(node, (this.served == 0) ? 1500 : heldMillis));
		}
		this.world.run(1_000_000_000L);
		this.world.requests.clear();
		this.world.run(100_000_000_000L);
		assertThat(this.served).isEqualTo(WAITERS);
		double perRelease = this.world.requests.getOrDefault(LockWorld.LOCK, 0) / (double) WAITERS;
		double inLine = this.world.requests.getOrDefault(LockWorld.SUCCESSOR, 0) / (double) WAITERS;
		this.waits.sort(null);
		// One when it moves up, one when the lock is freed.
		assertThat(perRelease).isLessThanOrEqualTo(2);
		assertThat(inLine).isLessThan(requestsInLine);
		// Two round trips of 0.5 ms; the first had nobody to wait for.
		assertThat(this.waits.get(WAITERS / 2)).isLessThan(1_100_000);
	}

	private void acquire(Node node, int heldMillis) {
		LockTerms terms = new LockTerms(Duration.ofSeconds(30), true);
		Bytes holder = Bytes.of(node.name);
		new Acquisition(new RequestedLock(LockWorld.LOCK, node.store(LockWorld.LOCK), node, terms, holder),
				() -> new RequestedLock(LockWorld.SUCCESSOR, node.store(LockWorld.SUCCESSOR), node, terms.ofSuccessor(),
						holder),
				WaitLimit.of(node, WaitLimit.FOREVER))
			.start()
			.thenAccept((lease) -> {
				this.served++;
				this.waits.add(this.world.now() - this.freedAt);
				node.schedule(Duration.ofMillis(heldMillis), () -> {
					this.freedAt = this.world.now();
					lease.release(Duration.ZERO);
				});
			});
	}

}
