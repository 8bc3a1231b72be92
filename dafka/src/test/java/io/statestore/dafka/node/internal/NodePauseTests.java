package io.statestore.dafka.node.internal;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.reading.internal.Machine;
import io.statestore.dafka.tower.Tower;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Time of a node whose process was paused. */
@Timeout(60)
class NodePauseTests {

	@Test
	void processPauseDoesNotExpirePeers() throws Exception {
		PausedMachine machine = new PausedMachine();
		try (Tower tower = Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0).start();
				Node<?> node = new Node<>("paused",
						NodeOptions.builder().tower(tower.address()).bindHost("127.0.0.1").build(),
						(output) -> machine)) {
			assertThat(machine.afterPause.get(30, TimeUnit.SECONDS)).isPositive()
				.isLessThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(500));
			assertThat(node.failure()).isNull();
		}
	}

	/**
	 * Machine whose first turn takes a second and that never lets the node sleep.
	 */
	private static final class PausedMachine implements Machine {

		private final CompletableFuture<Long> afterPause = new CompletableFuture<>();

		private long pausedAt;

		@Override
		public List<byte[]> subscriptions() {
			return List.of();
		}

		@Override
		public boolean received(byte[] header, byte @Nullable [] content, long now) {
			return true;
		}

		@Override
		public void subscribed(byte[] prefix, long now) {
		}

		@Override
		public long work(long now) {
			if (this.pausedAt == 0) {
				this.pausedAt = now;
				LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
			}
			else {
				this.afterPause.complete(now - this.pausedAt);
			}
			return now;
		}

		@Override
		public void closed() {
		}

	}

}
