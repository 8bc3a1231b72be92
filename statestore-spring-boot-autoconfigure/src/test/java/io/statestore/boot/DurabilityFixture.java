package io.statestore.boot;

import java.nio.file.Path;
import java.time.Duration;

import io.statestore.broker.server.DurabilityStatistics;
import org.jspecify.annotations.Nullable;

/** Statistics of a command log. */
public final class DurabilityFixture {

	private DurabilityFixture() {
	}

	/** Returns statistics of a log with four forces, which took 8 ms. */
	public static DurabilityStatistics log(@Nullable Duration snapshotAge, boolean writable) {
		return new DurabilityStatistics(Path.of("/data"), 1_000, 2, 20, 17, 3, 4, 8_000_000, 5_000_000, 10, snapshotAge,
				700, 50, Duration.ofMillis(1_500), writable);
	}

}
