package io.statestore.client.watch;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DeliveryCountersTests {

	private final Queue<Runnable> tasks = new ArrayDeque<>();

	private final DeliveryCounters counters = new DeliveryCounters();

	private final DeliveryQueue queue = new DeliveryQueue("test",
			new RetryingExecutor(this.tasks::add, new VirtualTime()::schedule), new QueueLimit(3, Long.MAX_VALUE),
			this.counters, (change) -> {
			});

	private void offer(int changes) {
		for (int i = 0; i < changes; i++) {
			this.queue.offer(
					new KeyChange<>(Key.of("key"), Operation.SET, Bytes.EMPTY, new Version(1, i, "StateStore"), false));
		}
	}

	private void assertCounters(long delivered, long resynchronized, long behind, long dropped) {
		assertThat(List.of(this.counters.delivered, this.counters.resynchronized, this.counters.behind,
				this.counters.dropped))
			.extracting(LongAdder::sum)
			.containsExactly(delivered, resynchronized, behind, dropped);
	}

	@Test
	void followChangesThroughQueue() {
		offer(2);
		assertCounters(0, 0, 2, 0);
		this.tasks.remove().run();
		assertCounters(2, 0, 0, 0);
	}

	@Test
	void countDroppedChangesAndTheirReplacement() {
		offer(4);
		assertCounters(0, 0, 1, 3);
		this.tasks.remove().run();
		assertCounters(1, 1, 0, 3);
	}

	@Test
	void forgetChangesInClosedQueue() {
		offer(2);
		this.queue.close();
		this.tasks.remove().run();
		assertCounters(0, 0, 0, 0);
	}

}
