package io.statestore.broker.faults;

import java.nio.file.Path;
import java.time.Duration;

import io.statestore.test.JavaProcess;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests moving a JVM's clocks, each separately. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "needs LD_PRELOAD")
@Timeout(60)
@RequiresProgram("gcc")
class ClocksTests {

	private static final long HOUR_MILLIS = 3_600_000;

	/** Tolerance that is enough for a step of the test on a busy machine. */
	private static final long SLACK_MILLIS = 600_000;

	@Test
	void movesSystemAndMonotonicClockSeparately(@TempDir Path directory) throws Exception {
		Clocks clocks = Clocks.of(Clocks.compile(directory), directory.resolve("clocks"));
		try (JavaProcess process = JavaProcess.of(ClockProgram.class).environment(clocks.environment()).start()) {
			long[] correct = read(process, 1);
			assertThat(Math.abs(correct[0] - System.currentTimeMillis())).isLessThan(SLACK_MILLIS);
			clocks.moveSystem(Duration.ofHours(-1));
			long[] moved = read(process, 2);
			assertThat(moved[0] - correct[0]).isBetween(-HOUR_MILLIS, -HOUR_MILLIS + SLACK_MILLIS);
			assertThat(moved[1] - correct[1]).isBetween(0L, SLACK_MILLIS);
			clocks.moveMonotonic(Duration.ofHours(2));
			long[] both = read(process, 3);
			assertThat(both[0] - moved[0]).isBetween(0L, SLACK_MILLIS);
			assertThat(both[1] - moved[1]).isBetween(2 * HOUR_MILLIS, 2 * HOUR_MILLIS + SLACK_MILLIS);
		}
	}

	/**
	 * Reads both clocks. Waits in the program end in real time, although their deadlines
	 * are absolute.
	 */
	private static long[] read(JavaProcess process, int number) {
		process.write("read");
		var match = process.await("^" + number + " (\\d+) (-?\\d+)$");
		return new long[] { Long.parseLong(match.group(1)), Long.parseLong(match.group(2)) };
	}

}
