package io.statestore.broker.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class MemoryBudgetTests {

	private final MemoryBudget budget = new MemoryBudget(100, 60);

	@Test
	void refusesClientAboveItsShare() {
		ClientShare share = this.budget.open();
		assertThat(share.tryReserve(MemoryUse.OUTGOING, 60)).isTrue();
		assertThat(share.tryReserve(MemoryUse.OBSERVATION, 1)).isFalse();
		assertThat(this.budget.used()).isEqualTo(60);
		assertThat(this.budget.refused(MemoryUse.OBSERVATION)).isEqualTo(1);
		assertThat(this.budget.refused(MemoryUse.OUTGOING)).isZero();
	}

	@Test
	void refusesClientsThatTogetherExceedBudget() {
		ClientShare first = this.budget.open();
		ClientShare second = this.budget.open();
		assertThat(first.tryReserve(MemoryUse.OUTGOING, 60)).isTrue();
		assertThat(second.tryReserve(MemoryUse.OUTGOING, 41)).isFalse();
		assertThat(second.tryReserve(MemoryUse.OUTGOING, 40)).isTrue();
		first.release(MemoryUse.OUTGOING, 10);
		assertThat(second.tryReserve(MemoryUse.OBSERVATION, 10)).isTrue();
		assertThat(this.budget.used(MemoryUse.OUTGOING)).isEqualTo(90);
		assertThat(this.budget.used()).isEqualTo(100);
	}

	@Test
	void releasesMemoryOfDisconnectedClient() {
		ClientShare share = this.budget.open();
		share.tryReserve(MemoryUse.CONNECTION, 20);
		share.tryReserve(MemoryUse.OBSERVATION, 30);
		share.close();
		share.close();
		share.release(MemoryUse.OBSERVATION, 30);
		assertThat(this.budget.used()).isZero();
		assertThat(this.budget.used(MemoryUse.OBSERVATION)).isZero();
		assertThat(share.tryReserve(MemoryUse.OUTGOING, 1)).isFalse();
		assertThat(this.budget.refused(MemoryUse.OUTGOING)).isZero();
	}

	@Test
	void refusesSizesThatOverflow() {
		ClientShare share = this.budget.open();
		share.tryReserve(MemoryUse.OUTGOING, 50);
		assertThat(share.tryReserve(MemoryUse.OUTGOING, Long.MAX_VALUE)).isFalse();
		assertThat(this.budget.used()).isEqualTo(50);
		ClientShare unlimited = MemoryBudget.unlimited().open();
		assertThat(unlimited.tryReserve(MemoryUse.CONNECTION, Long.MAX_VALUE - 1)).isTrue();
		assertThat(unlimited.tryReserve(MemoryUse.CONNECTION, 2)).isFalse();
	}

	@Test
	void refusesToReleaseMoreThanIsHeld() {
		ClientShare share = this.budget.open();
		share.tryReserve(MemoryUse.OUTGOING, 5);
		assertThatIllegalArgumentException().isThrownBy(() -> share.release(MemoryUse.OUTGOING, 6))
			.withMessageContainingAll("6 bytes", "OUTGOING", "5 are held");
	}

	@Test
	void refusesMemoryWhileLimitIsExceeded() {
		ClientShare share = this.budget.open();
		share.reserve(MemoryUse.RETAINED, 120);
		ClientShare other = this.budget.open();
		assertThat(share.tryReserve(MemoryUse.SESSION, 0)).isTrue();
		assertThat(other.tryReserve(MemoryUse.SESSION, 0)).isTrue();
		assertThat(other.tryReserve(MemoryUse.SUBSCRIPTION, 0)).isTrue();
		assertThat(other.tryReserve(MemoryUse.SUBSCRIPTION, 1)).isFalse();
		assertThat(this.budget.used()).isEqualTo(120);
		assertThat(this.budget.statistics().totalRefusals()).isEqualTo(1);
	}

	@Test
	void refusedReservationDoesNotAffectOthers() throws Exception {
		ClientShare large = this.budget.open();
		ClientShare small = this.budget.open();
		large.reserve(MemoryUse.OUTGOING, 50);
		AtomicBoolean ended = new AtomicBoolean();
		ExecutorService threads = Executors.newSingleThreadExecutor();
		try {
			Future<?> refused = threads.submit(() -> {
				ClientShare tooLarge = this.budget.open();
				while (!ended.get()) {
					tooLarge.tryReserve(MemoryUse.OUTGOING, 60);
				}
			});
			int granted = 0;
			for (int i = 0; i < 100_000; i++) {
				if (small.tryReserve(MemoryUse.OUTGOING, 1)) {
					granted++;
					small.release(MemoryUse.OUTGOING, 1);
				}
			}
			ended.set(true);
			refused.get();
			assertThat(granted).isEqualTo(100_000);
		}
		finally {
			ended.set(true);
			threads.shutdownNow();
		}
	}

	@Test
	void reservesQuarterForConnectionsAndSmallClients() {
		MemoryBudget large = MemoryBudget.of(64 << 20);
		ClientShare client = large.open();
		assertThat(client.tryReserve(MemoryUse.CONNECTION, 16 << 10)).isTrue();
		assertThat(client.tryReserve(MemoryUse.OUTGOING, 300 << 10)).isTrue();
		for (int i = 0; i < 3; i++) {
			assertThat(large.open().tryReserve(MemoryUse.INCOMING, (16 << 20) - (200 << 10))).isTrue();
		}
		assertThat(large.open().tryReserve(MemoryUse.INCOMING, 1 << 20)).isFalse();
		assertThat(client.tryReserve(MemoryUse.OUTGOING, 1 << 20)).isFalse();
		ClientShare next = large.open();
		assertThat(next.tryReserve(MemoryUse.CONNECTION, 16 << 10)).isTrue();
		assertThat(next.tryReserve(MemoryUse.OUTGOING, 240 << 10)).isTrue();
		assertThat(next.tryReserve(MemoryUse.INCOMING, 512 << 10)).isFalse();
		assertThat(next.tryReserve(MemoryUse.OUTGOING, 512 << 10)).isFalse();
	}

	@Test
	void limitsUnacceptedConnections() {
		ClientShare first = this.budget.open();
		assertThat(first.tryReserve(MemoryUse.CONNECTING, 6)).isTrue();
		ClientShare second = this.budget.open();
		assertThat(second.tryReserve(MemoryUse.CONNECTING, 1)).isFalse();
		assertThat(this.budget.used()).isEqualTo(6);
		first.close();
		assertThat(second.tryReserve(MemoryUse.CONNECTING, 1)).isTrue();
	}

	@Test
	void limitsClientToOneQuarterByDefault() {
		assertThat(MemoryBudget.of(64 << 20).maxBytesPerClient()).isEqualTo(16 << 20);
	}

	@Test
	void staysWithinBudgetUnderContention() throws Exception {
		Callable<Boolean> client = () -> {
			Random random = new Random();
			boolean within = true;
			for (int i = 0; i < 500; i++) {
				try (ClientShare share = this.budget.open()) {
					List<Integer> reserved = new ArrayList<>();
					for (int j = 0; j < 20; j++) {
						int bytes = random.nextInt(30);
						if (share.tryReserve(MemoryUse.OUTGOING, bytes)) {
							reserved.add(bytes);
						}
						else if (!reserved.isEmpty()) {
							share.release(MemoryUse.OUTGOING, reserved.remove(0));
						}
						within &= this.budget.used(MemoryUse.OUTGOING) <= 100;
					}
				}
			}
			return within;
		};
		ExecutorService threads = Executors.newFixedThreadPool(4);
		try {
			for (Future<Boolean> within : threads.invokeAll(List.of(client, client, client, client))) {
				assertThat(within.get()).isTrue();
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(this.budget.used()).isZero();
	}

}
