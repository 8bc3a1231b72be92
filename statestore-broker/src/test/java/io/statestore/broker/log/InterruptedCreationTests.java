package io.statestore.broker.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.log.SimulatedDisk.Fault;
import io.statestore.broker.log.SimulatedDisk.PowerCut;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Processes that are killed at each operation while they create or restore a store.
 * Entries that a later process acknowledges survive a power cut.
 */
class InterruptedCreationTests {

	private static final Path DIRECTORY = Path.of("/mnt/stores/data");

	private static final int SEEDS = 5;

	@TempDir
	private Path parent;

	@Test
	void acknowledgedBatchSurvivesKilledCreation() throws IOException {
		for (int seed = 0; seed < SEEDS; seed++) {
			boolean killed = true;
			for (int operations = 0; killed; operations++) {
				SimulatedDisk disk = new SimulatedDisk(seed);
				killed = isKilled(disk, operations, () -> open(disk, new ArrayList<>()).close());
				appendAndCutPower(disk);
				assertThat(contents(disk)).as("seed %s, operation %s", seed, operations).containsExactly("after");
			}
		}
	}

	@Test
	void acknowledgedBatchSurvivesKilledRestore() throws IOException {
		BackupFile backup = BackupFile.verify(TestLogs.backup(this.parent.resolve("backup"), "before"));
		for (int seed = 0; seed < SEEDS; seed++) {
			boolean killed = true;
			for (int operations = 0; killed; operations++) {
				SimulatedDisk disk = new SimulatedDisk(seed);
				killed = isKilled(disk, operations,
						() -> StoreCreation.restore(disk, new StoreLayout(DIRECTORY), backup, null));
				if (disk.exists(new StoreLayout(DIRECTORY).store())) {
					appendAndCutPower(disk);
					assertThat(contents(disk)).as("seed %s, operation %s", seed, operations)
						.containsExactly("before", "after");
				}
				else if (disk.exists(new StoreLayout(DIRECTORY).snapshots())) {
					disk.cutPower();
					assertThatExceptionOfType(StoreDirectoryException.class).isThrownBy(() -> contents(disk))
						.withMessageContaining("Restore a backup into an empty directory");
				}
			}
		}
	}

	/**
	 * Runs an action that is killed at an operation. Returns whether this operation was
	 * reached.
	 */
	private static boolean isKilled(SimulatedDisk disk, int operations, Action action) throws IOException {
		int[] count = { 0 };
		disk.faults((operation, path) -> (count[0]++ < operations) ? Fault.NONE : Fault.CUT);
		try {
			action.run();
			return false;
		}
		catch (PowerCut ex) {
			return true;
		}
		finally {
			disk.kill();
		}
	}

	private static void appendAndCutPower(SimulatedDisk disk) {
		FileLog log = open(disk, new ArrayList<>());
		TestLogs.append(log, "after");
		disk.cutPower();
	}

	private static FileLog open(SimulatedDisk disk, List<String> entries) {
		return TestLogs.open(DIRECTORY, TestLogs.SMALL, disk, entries);
	}

	private static List<String> contents(SimulatedDisk disk) {
		List<String> entries = new ArrayList<>();
		open(disk, entries).close();
		return entries;
	}

	/** The action during which the process is killed. */
	@FunctionalInterface
	private interface Action {

		void run() throws IOException;

	}

}
