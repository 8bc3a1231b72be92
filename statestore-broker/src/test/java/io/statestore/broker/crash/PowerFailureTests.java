package io.statestore.broker.crash;

import java.nio.file.Path;
import java.util.Random;
import java.util.function.Predicate;

import io.statestore.broker.conformance.StandaloneProcess;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Simulated power failures of a broker under load. The number of failures can be set,
 * with {@code -Dcrash.cuts=200}.
 */
@Tag("long")
@Timeout(1_800)
@EnabledOnOs(value = OS.LINUX, disabledReason = "needs LD_PRELOAD")
class PowerFailureTests {

	private static final int CUTS = Integer.getInteger("crash.cuts", 6);

	/**
	 * Accepts the files of Artemis, which does not force directories. The file systems
	 * that brokers run on force the creation of a file with its content.
	 */
	static final Predicate<String> LENIENT = (path) -> path.startsWith("mqtt/");

	private final Random random = new Random();

	private final PowerCut cut = new PowerCut(LENIENT, this.random);

	@TempDir
	Path work;

	private PowerCutShim shim;

	@BeforeEach
	void compile() throws Exception {
		this.shim = new PowerCutShim(this.work.resolve("shim"), this.work.resolve("data"));
	}

	private CrashReport run(int cuts, String fsync) throws Exception {
		CrashReport report = new CrashRun((port) -> StandaloneProcess.start(this.shim.environment(), "--port",
				String.valueOf(port), "--data", this.shim.directory().toString(), "--fsync", fsync),
				this.random.nextLong())
			.withOutage((broker) -> this.shim.cut(this.cut))
			.run(cuts);
		System.out.println("Power failures with --fsync " + fsync + "\n\n" + report.toMarkdown());
		return report;
	}

	@Test
	void losesNothingIfWritesAreForced() throws Exception {
		assertThat(run(CUTS, "always").violations()).isEmpty();
	}

	/** Also shows that the simulation finds what is lost. */
	@Test
	void startsAgainIfWritesAreNotForced() throws Exception {
		CrashReport report = run(3, "interval");
		assertThat(report.violations(Check.LOST_WRITES)).isNotEmpty();
		assertThat(report.violations(Check.REPEATED_VERSIONS)).isEmpty();
	}

}
