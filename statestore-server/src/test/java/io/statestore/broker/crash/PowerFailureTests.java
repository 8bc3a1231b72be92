package io.statestore.broker.crash;

import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RequiresProgram;
import io.statestore.test.TestRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests simulated power failures of a broker under load. {@code -Dcrash.cuts=200} sets
 * the number of failures.
 */
@Tag("long")
@Timeout(1_800)
@EnabledOnOs(value = OS.LINUX, disabledReason = "needs LD_PRELOAD")
@RequiresProgram("gcc")
class PowerFailureTests {

	private static final String TOPIC = "t";

	/** Maximum number of messages between two power failures. */
	private static final int PER_ROUND = 1_000_000;

	private static final int CUTS = Integer.getInteger("crash.cuts", 4);

	private final Random random = TestRandom.create(PowerFailureTests.class);

	private final PowerCut cut = new PowerCut(this.random);

	@TempDir
	Path work;

	private PowerCutShim shim;

	@BeforeEach
	void compile() throws Exception {
		this.shim = new PowerCutShim(this.work.resolve("shim"), this.work.resolve("data"));
	}

	private CrashRun load(String fsync) {
		return new CrashRun((port) -> StandaloneProcess.start(this.shim.environment(), "--port", String.valueOf(port),
				"--data-directory", this.shim.directory().toString(), "--fsync", fsync), this.random.nextLong())
			.withOutage((broker) -> this.shim.cut(this.cut));
	}

	private static CrashReport run(int cuts, String fsync, CrashRun load) throws Exception {
		CrashReport report = load.run(cuts);
		System.out.println("Power failures with --fsync " + fsync + "\n\n" + report.toMarkdown());
		return report;
	}

	@Test
	void losesNothingIfWritesAreForced() throws Exception {
		assertThat(run(CUTS, "always", load("always")).violations()).isEmpty();
	}

	/** Also shows that the simulation detects losses. */
	@ParameterizedTest
	@ValueSource(strings = { "interval", "never" })
	void keepsSessionsIfWritesAreNotForced(String fsync) throws Exception {
		CrashReport report = run(3, fsync, load(fsync).withoutSessionChanges());
		assertThat(report.violations(Check.LOST_WRITES)).isNotEmpty();
		assertThat(report.violations(Check.REPEATED_VERSIONS)).isEmpty();
		assertThat(report.violations(Check.LOST_SESSIONS)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "always", "interval", "never" })
	void deliversOnlyCompleteMessages(String fsync) throws Exception {
		for (int i = 0; i < Math.max(1, CUTS / 2); i++) {
			Set<Integer> accepted = publishUntilPowerFails(fsync, i);
			try (StandaloneProcess broker = start(fsync);
					RawMqttConnection subscriber = StoredMessages.subscriber(broker.port(), false)) {
				Set<Integer> received = StoredMessages.receiveAll(subscriber, TOPIC, broker.port());
				if (fsync.equals("always")) {
					assertThat(received).containsAll(accepted);
				}
				broker.kill();
			}
			this.shim.cut(this.cut);
		}
	}

	/** Returns the numbers of the messages that the broker has acknowledged. */
	private Set<Integer> publishUntilPowerFails(String fsync, int round) throws Exception {
		ExecutorService thread = Executors.newSingleThreadExecutor();
		try (StandaloneProcess broker = start(fsync)) {
			if (round == 0) {
				try (RawMqttConnection subscriber = StoredMessages.subscriber(broker.port(), true)) {
					subscriber.subscribed(TOPIC, 1);
				}
			}
			StoredMessages publisher = new StoredMessages(RawMqttConnection.connected(broker.port(), "publisher"),
					TOPIC, 1 + round * PER_ROUND);
			thread.submit(publisher);
			int count = 1 + this.random.nextInt(500);
			await("messages").until(() -> publisher.accepted().size() >= count);
			broker.kill();
			this.shim.cut(this.cut);
			return publisher.accepted();
		}
		finally {
			thread.shutdownNow();
		}
	}

	private StandaloneProcess start(String fsync) {
		return StandaloneProcess.start(this.shim.environment(), "--port", "0", "--data-directory",
				this.shim.directory().toString(), "--fsync", fsync);
	}

}
