package io.statestore.broker.crash;

import java.nio.file.Path;
import java.util.Random;

import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.test.RequiresProgram;
import io.statestore.test.TestRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Tests a broker whose disk is full or fails to write. */
@Tag("long")
@Timeout(300)
@EnabledOnOs(value = OS.LINUX, disabledReason = "needs LD_PRELOAD")
@RequiresProgram("gcc")
class DiskFaultTests {

	private static final String FULL = "-ERR the quota has been exceeded⏎";

	private static final String VALUE = "x".repeat(10_000);

	private static final int ROUNDS = 2;

	private final Random random = TestRandom.create(DiskFaultTests.class);

	@TempDir
	Path work;

	private PowerCutShim shim;

	@BeforeEach
	void compile() throws Exception {
		this.shim = new PowerCutShim(this.work.resolve("shim"), this.work.resolve("data"));
	}

	private StandaloneProcess start(int port) {
		return StandaloneProcess.start(this.shim.environment(), "--port", String.valueOf(port), "--data-directory",
				this.shim.directory().toString());
	}

	/** Restarts a broker under load several times, each time after a fault. */
	private CrashReport run(CrashRun.Event fault) throws Exception {
		return run(ROUNDS, fault);
	}

	private CrashReport run(int rounds, CrashRun.Event fault) throws Exception {
		PowerCut cut = new PowerCut(this.random);
		CrashReport report = new CrashRun(this::start, this.random.nextLong()).disturbedBy(fault)
			.withOutage((broker) -> {
				clear();
				this.shim.cut(cut);
			})
			.run(rounds);
		System.out.println(report.toMarkdown());
		return report;
	}

	private void clear() throws Exception {
		this.shim.full(false);
		this.shim.failForces(0);
		this.shim.failWrites(0);
	}

	/** Writes until the log's allocated space is used up. */
	private static void fill(StoreClient client) {
		await("a rejected write").until(() -> Resp.text(client.call("SET", "large", VALUE)).equals(FULL));
	}

	@Test
	void fullDiskRejectsOnlyWritesAndRecoversOnItsOwn() throws Exception {
		try (StandaloneProcess broker = start(0); StoreClient client = StoreClient.connect(broker.port(), "client")) {
			client.call("SET", "kept", "value");
			this.shim.full(true);
			fill(client);
			assertThat(client.value("kept")).isEqualTo("value");
			assertThat(Resp.text(client.call("SET", "large", VALUE))).isEqualTo(FULL);
			this.shim.full(false);
			await("an accepted write").until(() -> Resp.text(client.call("SET", "later", "value")).equals("+OK⏎"));
			assertThat(client.value("kept")).isEqualTo("value");
		}
		try (StandaloneProcess broker = start(0); StoreClient client = StoreClient.connect(broker.port(), "client")) {
			assertThat(client.value("kept")).isEqualTo("value");
			assertThat(client.value("later")).isEqualTo("value");
		}
	}

	@Test
	void writesRejectedOnFullDiskStayRejected() throws Exception {
		CrashReport report = run((broker) -> {
			this.shim.full(true);
			try (StoreClient client = StoreClient.connect(broker.port(), "filler")) {
				fill(client);
			}
		});
		assertThat(report.violations()).isEmpty();
		assertThat(report.rejected()).isPositive();
	}

	@Test
	void writesRejectedByFailedForceStayRejected() throws Exception {
		CrashReport report = run((broker) -> {
			try (StoreClient client = StoreClient.connect(broker.port(), "rejected")) {
				await("a rejected write").until(() -> {
					this.shim.failForces(1);
					return Resp.text(client.call("SET", "rejected", "value")).equals(FULL);
				});
			}
		});
		assertThat(report.violations()).isEmpty();
	}

	@Test
	void writesRejectedByFailedWriteStayRejected() throws Exception {
		CrashReport report = run((broker) -> this.shim.failWrites(1));
		assertThat(report.violations()).isEmpty();
	}

	@Test
	void brokenDiskStopsStoreWithoutLoss() throws Exception {
		CrashReport report = run((broker) -> {
			this.shim.failForces(1_000);
			this.shim.failWrites(1_000);
		});
		assertThat(report.violations()).isEmpty();
	}

}
