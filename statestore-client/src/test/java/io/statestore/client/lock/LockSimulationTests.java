package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.stream.LongStream;

import io.statestore.client.internal.LockMonitors;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Simulates thousands of histories of processes that contend for a lock, each decided by
 * its seed. {@code -Dlock.simulation.seed=<seed>} repeats one history,
 * {@code -Dlock.simulation.runs=<count>} runs more of them, and
 * {@code -Dlock.simulation.from=<seed>} sets the first seed.
 */
@Tag("long")
class LockSimulationTests {

	private static final long SECOND = 1_000_000_000L;

	private static final long CALM = 60 * SECOND;

	private static final long END = CALM + 40 * SECOND;

	/** End of the few histories in which a waiter is served late, for lack of order. */
	private static final long LATE_END = END + 400 * SECOND;

	/**
	 * A lease, because a notification may have been lost in transit, and a round trip.
	 */
	private static final long MAX_UNSERVED = LockWorld.LEASE.toNanos() + SECOND / 10;

	@Test
	void staysExclusiveUnderFaults() {
		run(250, new SimulatedFaults(true, false, false));
	}

	@Test
	void losesDeletedLockOnce() {
		run(250, new SimulatedFaults(true, false, true));
	}

	@Test
	void findsDeletedLockInTime() {
		run(250, new SimulatedFaults(false, false, true));
	}

	@Test
	void losesForgottenLockOnce() {
		run(250, new SimulatedFaults(true, true, true));
	}

	private static void run(int runs, SimulatedFaults faults) {
		Long seed = Long.getLong("lock.simulation.seed");
		long from = Long.getLong("lock.simulation.from", 0);
		LongStream seeds = (seed != null) ? LongStream.of(seed)
				: LongStream.range(from, from + Integer.getInteger("lock.simulation.runs", runs));
		long[] totals = new long[4];
		long[] breaches = new long[2];
		seeds.forEach((each) -> {
			try {
				LockWorld world = simulate(each, faults, seed != null);
				totals[0] += world.checks.tenures;
				totals[1] += world.checks.losses;
				totals[2] += world.checks.acceptedWrites;
				totals[3] += world.checks.refusedWrites;
				breaches[0] += world.checks.breachedTenures;
				breaches[1] += world.checks.recreations;
			}
			catch (Throwable ex) {
				throw new AssertionError("Seed " + each + ", to be replayed with -Dlock.simulation.seed=" + each + ": "
						+ story(each, faults, ex), ex);
			}
		});
		// Ensures that the simulation exercised all cases.
		assertThat(totals).doesNotContain(0);
		if (faults.operator() && seed == null) {
			assertThat(breaches).doesNotContain(0);
		}
	}

	/** Repeats a history to record its events. */
	private static String story(long seed, SimulatedFaults faults, Throwable failure) {
		try {
			simulate(seed, faults, true);
			return "not reproducible: " + failure;
		}
		catch (Throwable ex) {
			return String.valueOf(ex.getMessage());
		}
	}

	private static LockWorld simulate(long seed, SimulatedFaults faults, boolean tracing) {
		LockWorld world = new LockWorld(seed, faults, tracing);
		int count = 3 + world.random.nextInt(3);
		List<Contender> contenders = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			new Contender(world, "n" + i, contenders).begin();
		}
		world.unleashFaults(CALM);
		world.run(CALM);
		List<SimulatedNode> survivors = List.copyOf(world.nodes);
		Contender.markAll(world);
		long end = END;
		world.run(end);
		if (!survivors.stream().allMatch((node) -> Contender.hasWorkedSinceMark(world, node))) {
			end = LATE_END;
			world.run(end);
		}
		for (SimulatedNode node : survivors) {
			if (!Contender.hasWorkedSinceMark(world, node)) {
				world.fail(node.name + " was not served in calm times");
			}
		}
		if (world.checks.longestUnserved > MAX_UNSERVED) {
			world.fail(
					"A waiter waited for " + world.checks.longestUnserved / 1_000_000 + " ms though the lock was free");
		}
		contenders.forEach(Contender::stop);
		// Less than a lease, whose expiry would remove remaining keys.
		world.run(end + LockWorld.LEASE.toNanos() / 4);
		if (world.isTaken(LockWorld.LOCK) || world.isTaken(LockWorld.SUCCESSOR)) {
			world.fail("A key remains in the store");
		}
		return world;
	}

	/** Process that acquires the lock again and again. */
	private static final class Contender {

		private static final Map<SimulatedNode, Integer> WORKED = new WeakHashMap<>();

		private final LockWorld world;

		private final String name;

		private final SimulatedNode node;

		private final List<Contender> all;

		private @Nullable Acquisition acquisition;

		private boolean stopped;

		private int attempts;

		Contender(LockWorld world, String name, List<Contender> all) {
			this.world = world;
			this.name = name;
			this.all = all;
			this.node = world.node(name);
			all.add(this);
		}

		/** Makes no further requests. */
		void stop() {
			this.stopped = true;
			this.node.lease = null;
			if (this.acquisition != null) {
				this.acquisition.cancel();
			}
		}

		static void markAll(LockWorld world) {
			world.nodes.forEach((node) -> WORKED.put(node, 0));
		}

		static boolean hasWorkedSinceMark(LockWorld world, SimulatedNode node) {
			return WORKED.getOrDefault(node, 0) > 0;
		}

		void begin() {
			this.node.schedule(Duration.ofNanos(this.world.between(0, 500)), this::acquire);
		}

		private void acquire() {
			if (this.stopped) {
				return;
			}
			Bytes holder = Bytes.of(this.name + "#" + this.attempts++);
			long wait = switch (this.world.random.nextInt(3)) {
				case 0 -> 0;
				case 1 -> this.world.between(1, 5_000);
				default -> WaitLimit.FOREVER;
			};
			// At least a lease and a half, so that a renewal starts to watch the key.
			Duration maxHold = this.world.chance(0.3)
					? LockWorld.LEASE.multipliedBy(3 + this.world.random.nextInt(6)).dividedBy(2) : null;
			LockTerms terms = new LockTerms(LockWorld.LEASE, true, maxHold);
			Acquisition acquisition = new Acquisition(
					new RequestedLock(LockWorld.LOCK, this.node.store(LockWorld.LOCK), this.node, new LockMonitors(),
							terms, holder),
					() -> new RequestedLock(LockWorld.SUCCESSOR, this.node.store(LockWorld.SUCCESSOR), this.node,
							new LockMonitors(), terms.ofSuccessor(), holder),
					WaitLimit.of(this.node, wait));
			this.acquisition = acquisition;
			this.node.waiting = wait > 0;
			acquisition.start().whenComplete((lease, failure) -> {
				this.node.waiting = false;
				if (this.stopped) {
					return;
				}
				if (lease != null) {
					acquired(lease, holder);
				}
				else {
					this.node.schedule(Duration.ofNanos(this.world.between(1, 300)), this::acquire);
				}
			});
			if (this.world.chance(0.1)) {
				this.node.schedule(Duration.ofNanos(this.world.between(1, 3_000)), () -> {
					if (!acquisition.result().isDone()) {
						acquisition.cancel();
					}
				});
			}
		}

		private void acquired(Lease lease, Bytes holder) {
			this.world.checks.tenures++;
			this.world.log(() -> this.name + " holds the lock, token " + lease.status().token());
			this.node.loss = null;
			this.node.lease = lease;
			this.node.holder = holder;
			lease.onLost((loss) -> {
				if (this.node.loss != null) {
					this.world.fail("Notified of a loss twice");
				}
				this.world.checks.losses++;
				this.world.log(() -> this.name + " lost the lock: " + loss.reason());
				this.node.loss = loss;
			});
			work(lease, this.world.random.nextInt(6));
		}

		private void work(Lease lease, int left) {
			if (this.stopped) {
				return;
			}
			if (left == 0) {
				release(lease);
				return;
			}
			// Does not check whether the lock is still held.
			this.node.write(lease.status().token().version(), (written) -> {
				if (written) {
					WORKED.merge(this.node, 1, Integer::sum);
				}
			});
			if (this.world.chance(0.03)) {
				this.node.die();
				new Contender(this.world, this.name + "'", this.all).begin();
				return;
			}
			if (this.world.chance(0.05)) {
				this.node.pause(this.world.between(10, 3 * LockWorld.LEASE.toMillis()));
			}
			this.node.schedule(Duration.ofNanos(this.world.between(1, 800)), () -> work(lease, left - 1));
		}

		private void release(Lease lease) {
			this.world.log(() -> this.name + " releases the lock");
			this.node.lease = null;
			lease.release();
			WORKED.merge(this.node, 1, Integer::sum);
			this.node.schedule(Duration.ofNanos(this.world.between(0, 300)), this::acquire);
		}

	}

}
