package io.statestore.broker.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import io.statestore.broker.log.SimulatedDisk.Fault;
import io.statestore.broker.log.SimulatedDisk.Operation;
import io.statestore.broker.log.SimulatedDisk.PowerCut;
import io.statestore.broker.storage.Fsync;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Power cuts at random operations while batches are appended and snapshots are written,
 * on a disk that loses unforced data, fails, and fills up.
 */
class PowerCutTests {

	private static final Path DIRECTORY = Path.of("/data");

	private static final StoreLayout LAYOUT = new StoreLayout(DIRECTORY);

	@Test
	void acknowledgedBatchesSurvive() throws IOException {
		run(100, Fsync.ALWAYS);
	}

	@Test
	@Tag("long")
	@Tag("nightly")
	void acknowledgedBatchesSurviveThousandsOfPowerCuts() throws IOException {
		run(5_000, Fsync.ALWAYS);
	}

	@Test
	void keepsBatchesBeforeLostBatchesWithoutForce() throws IOException {
		run(50, Fsync.NEVER);
	}

	@Test
	@Tag("long")
	@Tag("nightly")
	void losesNoIntactBatchInThousandsOfPowerCuts() throws IOException {
		run(5_000, Fsync.NEVER);
	}

	private static void run(int cuts, Fsync fsync) throws IOException {
		for (int done = 0, seed = 0; done < cuts; seed++) {
			Store store = new Store(seed, fsync);
			for (int start = 0; start < 5; start++) {
				done += store.run() ? 1 : 0;
			}
		}
	}

	/** A store that is started repeatedly, with its expected content. */
	private static final class Store {

		private final int seed;

		private final Random random;

		private final SimulatedDisk disk;

		private final LogOptions options;

		/** Entries that must be in the log, in order. */
		private final List<String> durable = new ArrayList<>();

		/** Entries after these that may be in the log, in order. */
		private final List<String> possible = new ArrayList<>();

		private int created;

		private boolean powerCut;

		/** Whether the store has started since the previous process ended. */
		private boolean started;

		/** Intact batches that a start must keep, even if it cannot return them. */
		private Set<String> intact = Set.of();

		/** Whether these batches are on disk. */
		private boolean intactDurable;

		/**
		 * Whether all entries have the same size, so that a lost entry can be replaced.
		 */
		private final boolean equalSizes;

		/** The background work that has not run yet. */
		Store(int seed, Fsync fsync) {
			this.seed = seed;
			this.random = new Random(seed);
			this.disk = new SimulatedDisk(seed);
			this.options = TestLogs.options(fsync);
			this.equalSizes = this.random.nextInt(3) == 0;
		}

		/**
		 * Starts the store and runs it until it ends. Returns whether a power cut ended
		 * it.
		 */
		boolean run() throws IOException {
			// With many operations, the store is closed before the power cut.
			int operations = this.random.nextInt(this.random.nextBoolean() ? 150 : 10_000);
			boolean failing = this.random.nextInt(3) == 0;
			this.powerCut = this.random.nextInt(4) > 0;
			int[] count = { 0 };
			List<String> entries = new ArrayList<>();
			this.started = false;
			try {
				if (this.random.nextBoolean()) {
					// Also causes cuts and failures during the start.
					int startOperations = this.random.nextInt(40);
					Fault fault = (this.random.nextInt(3) == 0) ? Fault.FAIL : Fault.CUT;
					this.disk.faults((operation, path) -> (count[0]++ < startOperations) ? Fault.NONE : fault);
				}
				FileLog log = open(entries);
				if (log == null) {
					end();
					return this.powerCut;
				}
				this.started = true;
				verify(entries);
				verifyIntact();
				Operation first = this.random.nextBoolean() ? Operation.WRITE : Operation.FORCE;
				AtomicBoolean firstFails = new AtomicBoolean(this.random.nextBoolean());
				this.disk.faults((operation, path) -> {
					if (count[0]++ >= operations) {
						return Fault.CUT;
					}
					if (operation == first && firstFails.getAndSet(false)) {
						return Fault.FAIL;
					}
					return (failing && this.random.nextInt(10) == 0) ? Fault.FAIL : Fault.NONE;
				});
				use(log);
			}
			catch (PowerCut ex) {
				// Continues below.
			}
			end();
			return this.powerCut;
		}

		/** Returns {@code null} if the simulated disk failed. */
		private @Nullable FileLog open(List<String> entries) {
			try {
				return TestLogs.open(DIRECTORY, this.options, this.disk, entries);
			}
			catch (StoreDirectoryException ex) {
				assertThat(ex).as("seed %s", this.seed).hasMessageContaining("Simulated failure");
				return null;
			}
		}

		private void end() throws IOException {
			this.disk.capacity(Long.MAX_VALUE);
			if (this.powerCut) {
				this.disk.cutPower();
			}
			else {
				this.disk.kill();
			}
			if (!this.started && this.intactDurable) {
				verifyIntact();
			}
			else if (this.started || this.powerCut) {
				this.intact = IntactRecords.in(this.disk, LAYOUT, "|\\.discarding");
				this.intactDurable = this.powerCut;
			}
		}

		private void verifyIntact() throws IOException {
			assertThat(IntactRecords.in(this.disk, LAYOUT, "|\\.discarding|\\.discarded")).as("seed %s", this.seed)
				.containsAll(this.intact);
		}

		private void verify(List<String> entries) {
			List<String> all = new ArrayList<>(this.durable);
			all.addAll(this.possible);
			assertThat(entries.size()).as("entries, seed %s", this.seed).isBetween(this.durable.size(), all.size());
			assertThat(entries.equals(all.subList(0, entries.size()))).as("seed %s", this.seed).isTrue();
			// Entries that a start has returned are on disk.
			this.durable.clear();
			this.durable.addAll(entries);
			this.possible.clear();
		}

		private void use(FileLog log) throws IOException {
			int mean = this.random.nextBoolean() ? 3 : 200;
			while (!log.isFailed() && this.random.nextInt(mean) > 0) {
				switch (this.random.nextInt(25)) {
					case 0 -> snapshot(log);
					case 1 -> this.disk.capacity(this.disk.usedBytes() + this.random.nextInt(3_000));
					case 2 -> this.disk.capacity(Long.MAX_VALUE);
					default -> append(log);
				}
			}
			if (this.random.nextBoolean()) {
				log.close();
				if (!log.isFailed()) {
					this.durable.addAll(this.possible);
					this.possible.clear();
				}
			}
		}

		private void append(FileLog log) {
			List<String> batch = new ArrayList<>();
			for (int i = this.random.nextInt(4); i >= 0; i--) {
				batch.add(this.created++ + "-" + "x".repeat(size()));
			}
			int known = this.possible.size();
			this.possible.addAll(batch);
			try {
				TestLogs.append(log, batch);
				if (this.options.fsync() == Fsync.ALWAYS) {
					this.durable.addAll(this.possible);
					this.possible.clear();
				}
			}
			catch (DiskFullException ex) {
				this.possible.subList(known, this.possible.size()).clear();
			}
			catch (LogFailedException ex) {
				if (!log.isFailed()) {
					this.possible.subList(known, this.possible.size()).clear();
				}
			}
		}

		/** Returns a size that sometimes exceeds the size of a segment. */
		private int size() {
			if (this.equalSizes) {
				return 500;
			}
			return this.random.nextInt((this.random.nextInt(15) == 0) ? 9_000 : 600);
		}

		private void snapshot(FileLog log) throws IOException {
			List<String> all = new ArrayList<>(this.durable);
			all.addAll(this.possible);
			int size = all.size() - this.random.nextInt(5);
			if (size < Math.max(1, log.statistics().snapshotIndex())) {
				return;
			}
			try {
				TestLogs.snapshot(log, all.subList(0, size));
			}
			catch (IOException | DiskFullException | LogFailedException ex) {
				// The log continues without the snapshot.
			}
		}

	}

}
