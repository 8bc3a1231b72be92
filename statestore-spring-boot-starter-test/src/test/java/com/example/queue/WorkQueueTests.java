package com.example.queue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import com.example.Instances;
import io.statestore.broker.StateStoreBroker;
import io.statestore.client.FencingToken;
import io.statestore.client.StaleFencingTokenException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.testing.TestTime;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestPropertySource;

import static io.statestore.testing.assertj.StateStoreAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The recipe "Work queue with a history" in {@code docs/recipes.md}. */
@SpringBootTest(classes = { WorkQueueTests.Application.class, WorkQueueTests.ControlledTime.class })
@TestPropertySource(locations = "classpath:com/example/queue/application.properties",
		properties = "statestore.embedded.port=0")
@DirtiesContext
class WorkQueueTests {

	@TempDir
	static Path directory;

	@Autowired
	private WorkQueue queue;

	@Autowired
	private Worker worker;

	@Autowired
	private RecordingJob job;

	@Autowired
	private QueueHistory history;

	@Autowired
	private StateStoreOperations store;

	@Autowired
	private StateStoreBroker broker;

	@Autowired
	private TestTime time;

	@DynamicPropertySource
	static void directory(DynamicPropertyRegistry registry) {
		registry.add("statestore.embedded.data-directory", directory::toString);
	}

	@Test
	void twoWorkersProcessEachItemOnce() {
		try (ConfigurableApplicationContext second = second()) {
			List<String> tasks = IntStream.range(0, 20).mapToObj((i) -> "task " + i).toList();
			List<String> ids = tasks.stream().map(this.queue::submit).toList();
			awaitEmptyQueue();
			List<String> done = new ArrayList<>(this.job.tasks);
			done.addAll(second.getBean(RecordingJob.class).tasks);
			assertThat(done).filteredOn((task) -> task.startsWith("task")).containsExactlyInAnyOrderElementsOf(tasks);
			assertThat(ids).allSatisfy((id) -> assertThat(this.queue.result(id)).isPresent());
		}
	}

	@Test
	void failedItemStaysWithoutDelayingOthers() {
		String broken = this.queue.submit("broken");
		String whole = this.queue.submit("whole");
		Awaitility.await().until(() -> this.queue.result(whole).isPresent());
		assertThat(this.queue.result(broken)).isEmpty();
		assertThat(this.store).hasKey("queue/items/" + broken);
		this.job.repaired = true;
		this.worker.work();
		Awaitility.await().until(() -> this.queue.result(broken).isPresent());
	}

	@Test
	void anotherWorkerTakesOverAfterCrash() {
		FencingToken stale;
		try (ConfigurableApplicationContext second = second()) {
			FencedLock lock = second.getBean(StateStoreLockRegistry.class).obtain("queue/locks/i1");
			lock.lock();
			stale = lock.token();
			this.store.set("queue/items/i1", "task");
			second.getBean(StateStoreConnection.class).stop();
			this.worker.work();
			assertThat(this.store).doesNotHaveKey("queue/results/i1");
			this.time.advance(Duration.ofSeconds(31));
		}
		this.worker.work();
		awaitEmptyQueue();
		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> this.store.fencedBy(stale).set("queue/results/i1", "stale"));
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.history.of("i1")).startsWith("SET queue/locks/i1 by worker-2",
					"SET queue/items/i1 by worker-1", "EXPIRE queue/locks/i1 by null", "SET queue/locks/i1 by worker-1",
					"SET queue/results/i1 by worker-1", "DELETE queue/items/i1 by worker-1",
					"DELETE queue/locks/i1 by worker-1"));
	}

	private ConfigurableApplicationContext second() {
		return Instances.start(Application.class, "worker-2", this.broker.port(), this.time);
	}

	private void awaitEmptyQueue() {
		Awaitility.await().until(() -> !this.store.scan("queue/items/*").iterator().hasNext());
	}

	@SpringBootApplication
	static class Application {

		@Bean
		RecordingJob job() {
			return new RecordingJob();
		}

	}

	static class ControlledTime {

		@Bean
		TestTime testTime() {
			return new TestTime();
		}

	}

	static class RecordingJob implements Job {

		final List<String> tasks = new CopyOnWriteArrayList<>();

		volatile boolean repaired;

		@Override
		public String perform(String task) {
			if (task.equals("broken") && !this.repaired) {
				throw new IllegalStateException("expected by the test");
			}
			this.tasks.add(task);
			return task + " done";
		}

	}

}
