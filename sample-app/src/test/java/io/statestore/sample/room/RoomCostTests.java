package io.statestore.sample.room;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.statestore.client.StateStoreOperations;
import io.statestore.sample.Ports;
import io.statestore.sample.SampleApplication;
import io.statestore.test.JavaProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The control room with its broker, history, and page: 20 open pages and 200 changes per
 * second cost less than one core and drop nothing.
 */
@Tag("long")
@Tag("measuring")
@Timeout(240)
class RoomCostTests {

	private static final int KEYS = 200;

	private static final int RATE = 200;

	private static final int COUNT = RATE * 10;

	@Test
	void twentyPagesCostLessThanOneCore(@TempDir Path directory) throws InterruptedException {
		int brokerPort = Ports.free();
		try (JavaProcess room = JavaProcess.of(SampleApplication.class)
			.withoutTests()
			.arguments("--server.port=0", "--statestore.port=" + brokerPort, "--sample.directory=" + directory,
					"--sample.presses=")
			.start()) {
			int port = Integer.parseInt(room.await("Tomcat started on port (\\d+)").group(1));
			ProcessHandle process = ProcessHandle.of(Long.parseLong(room.await("with PID (\\d+)").group(1)))
				.orElseThrow();
			try (ConfigurableApplicationContext client = client(brokerPort)) {
				measure(client.getBean(StateStoreOperations.class), process, port);
			}
		}
	}

	private static void measure(StateStoreOperations store, ProcessHandle room, int port) throws InterruptedException {
		List<OpenPage> pages = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			pages.add(OpenPage.open(port));
		}
		write(store, KEYS);
		awaitChanges(pages, KEYS);
		write(store, RATE * 3);
		awaitChanges(pages, KEYS + RATE * 3);
		Duration cpu = cpu(room);
		long start = System.nanoTime();
		write(store, COUNT);
		double cost = cpu(room).minus(cpu).toNanos() / (double) (System.nanoTime() - start);
		awaitChanges(pages, KEYS + RATE * 3 + COUNT);
		for (OpenPage page : pages) {
			for (int i = 0; i < KEYS; i++) {
				assertThat(page.value("line/load/" + i)).startsWith("{&quot;number&quot;:" + (COUNT - KEYS + i) + ",");
			}
		}
		System.out.printf("20 pages, %d changes per second through the broker: %.3f CPU seconds per second%n", RATE,
				cost);
		assertThat(cost).isLessThan(1);
		pages.forEach(OpenPage::close);
	}

	/** Writes all keys in turn at the test's rate. */
	private static void write(StateStoreOperations store, int count) throws InterruptedException {
		long start = System.nanoTime();
		for (int i = 0; i < count; i++) {
			store.set("line/load/" + i % KEYS, new Load(i, "a value of usual length"));
			long due = start + (i + 1) * 1_000_000_000L / RATE;
			Thread.sleep(Duration.ofNanos(Math.max(0, due - System.nanoTime())).toMillis());
		}
	}

	/**
	 * Waits for all changes. None may be missing: the number of changes on the page must
	 * be exact.
	 */
	private static void awaitChanges(List<OpenPage> pages, int expected) {
		for (OpenPage page : pages) {
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.untilAsserted(() -> assertThat(page.changes()).isEqualTo(expected));
		}
	}

	private static Duration cpu(ProcessHandle process) {
		return process.info().totalCpuDuration().orElseThrow();
	}

	private static ConfigurableApplicationContext client(int port) {
		return new SpringApplicationBuilder(Client.class).web(WebApplicationType.NONE)
			.run("--statestore.port=" + port, "--statestore.client-id=load");
	}

	/** Not a {@code @Configuration}, which the sample's component scan would find. */
	@EnableAutoConfiguration
	static class Client {

	}

	record Load(int number, String text) {
	}

}
