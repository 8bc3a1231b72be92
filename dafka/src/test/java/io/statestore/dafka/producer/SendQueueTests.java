package io.statestore.dafka.producer;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.statestore.dafka.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Order of a {@link SendQueue} with several senders. */
@Timeout(60)
class SendQueueTests {

	@Test
	void queueKeepsOrderOfEachThread() throws InterruptedException {
		SendQueue queue = new SendQueue();
		int each = 20_000;
		List<ProducerPartition> partitions = List.of(partition(Identity.random()), partition(Identity.random()),
				partition(Identity.random()));
		List<Thread> threads = partitions.stream().map((partition) -> new Thread(() -> {
			for (int i = 0; i < each; i++) {
				Pending pending = pending(partition);
				pending.sequence = i;
				queue.add(pending);
			}
		})).toList();
		threads.forEach(Thread::start);
		long[] next = new long[partitions.size()];
		for (int taken = 0; taken < each * partitions.size();) {
			Pending pending = queue.poll();
			if (pending != null) {
				assertThat(pending.sequence).isEqualTo(next[partitions.indexOf(pending.partition)]++);
				taken++;
			}
		}
		assertThat(queue.poll()).isNull();
		for (Thread thread : threads) {
			thread.join();
		}
	}

	private static ProducerPartition partition(Identity identity) {
		return new ProducerPartition(Bytes.of(identity.address()), Bytes.of("t"), identity.counter("t"));
	}

	private static Pending pending(ProducerPartition partition) {
		return new Pending(partition, Bytes.EMPTY, new CompletableFuture<>());
	}

}
