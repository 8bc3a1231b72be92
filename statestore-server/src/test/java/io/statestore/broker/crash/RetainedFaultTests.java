package io.statestore.broker.crash;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawPublish;
import io.statestore.test.RequiresProgram;
import io.statestore.test.TestRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests retained messages after {@code kill -9} and after simulated power failures.
 * {@code -Dcrash.cuts=200} sets the number of failures.
 */
@Tag("long")
@Tag("nightly")
@Timeout(1_800)
@EnabledOnOs(value = OS.LINUX, disabledReason = "needs LD_PRELOAD")
@RequiresProgram("gcc")
class RetainedFaultTests {

	private static final int FAILURES = Integer.getInteger("crash.cuts", 2);

	private static final int WRITERS = 3;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final Random random = TestRandom.create(RetainedFaultTests.class);

	private final PowerCut cut = new PowerCut(this.random);

	private final List<RetainedWriter> writers = new ArrayList<>();

	@TempDir
	Path work;

	private PowerCutShim shim;

	@BeforeEach
	void compile() throws Exception {
		this.shim = new PowerCutShim(this.work.resolve("shim"), this.work.resolve("data"));
	}

	@AfterEach
	void stopThreads() {
		this.threads.shutdownNow();
	}

	private StandaloneProcess start() {
		return StandaloneProcess.start(this.shim.environment(), "--port", "0", "--data-directory",
				this.shim.directory().toString());
	}

	@Test
	void keepsLatestMessagesAfterKill() throws Exception {
		run(() -> {
		});
	}

	@Test
	void keepsLatestMessagesAfterPowerFailure() throws Exception {
		run(() -> this.shim.cut(this.cut));
	}

	private void run(Failure failure) throws Exception {
		for (int i = 0; i <= FAILURES; i++) {
			try (StandaloneProcess broker = start()) {
				check(broker.port());
				if (i < FAILURES) {
					runUntilKilled(broker);
				}
			}
			failure.happen();
		}
	}

	private int acknowledged() {
		return this.writers.stream().mapToInt(RetainedWriter::acknowledged).sum();
	}

	private void runUntilKilled(StandaloneProcess broker) throws Exception {
		List<Future<Void>> results = new ArrayList<>();
		for (int i = 0; i < WRITERS; i++) {
			RawMqttConnection client = RawMqttConnection.connected(broker.port(), "writer" + i);
			if (this.writers.size() <= i) {
				this.writers.add(new RetainedWriter(String.valueOf(i), new Random(this.random.nextLong()), client));
			}
			else {
				this.writers.get(i).reconnect(client);
			}
			results.add(this.threads.submit(this.writers.get(i)));
		}
		int enough = acknowledged() + 110 + this.random.nextInt(1_000);
		await("acknowledgments").until(() -> acknowledged() >= enough);
		broker.kill();
		for (Future<Void> result : results) {
			result.get(30, TimeUnit.SECONDS);
		}
	}

	private void check(int port) throws Exception {
		Map<String, String> stored = retained(port);
		this.writers.forEach((writer) -> writer.check(stored));
		// A second subscription receives the same messages.
		assertThat(retained(port)).isEqualTo(stored);
	}

	private static Map<String, String> retained(int port) throws Exception {
		Map<String, String> retained = new HashMap<>();
		try (RawMqttConnection client = RawMqttConnection.connected(port, "reader")) {
			client.send(client.subscribe("retained/#", 0));
			boolean ended = false;
			while (!ended) {
				RawPacket packet = client.receive();
				if (packet instanceof RawPublish message) {
					ended = !message.retain;
					if (message.retain) {
						assertThat(retained.put(message.topic, message.text())).as(message.topic).isNull();
					}
				}
				else {
					// This message follows the retained messages in the subscription's
					// queue.
					client.send(client.publish("retained/end", 0, "end"));
				}
			}
		}
		return retained;
	}

	/** Failure between two processes. */
	private interface Failure {

		void happen() throws IOException;

	}

}
