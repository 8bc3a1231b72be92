package io.statestore.client;

import java.time.Duration;

import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.json.JacksonValueConverter;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.test.DocumentedSnippets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.integration.leader.Candidate;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compiles the snippets of {@code docs/when-to-use.md}, and runs those that need no
 * broker.
 */
class WhenToUseDocumentationTests {

	private static final Logger logger = LoggerFactory.getLogger(WhenToUseDocumentationTests.class);

	private final StateStoreTemplate store = new StateStoreTemplate(new InMemoryStateStore(),
			new JacksonValueConverter(JsonMapper.builder().build()));

	private final StateStoreLockRegistry locks = new StateStoreLockRegistry(this.store);

	@Test
	void containsEverySnippet() throws Exception {
		DocumentedSnippets.assertAllIn("when-to-use.md", 5, getClass());
	}

	@Test
	void readsAndWrites() throws Exception {
		valueOperations(this.store, new Reading("cpu", 0.25));
		assertThat(this.store.exists("machines/press")).isFalse();
		assertThat(this.store.exists("jobs/nightly")).isTrue();
	}

	@Test
	void writesUnderLock() throws Exception {
		new Machines(this.store, this.locks).change(170);
		assertThat(this.store.getValue("press-1/setpoint", Integer.class)).contains(170);
		locked(this.locks);
		assertThat(this.store.getValue("press-1/setpoint", Integer.class)).contains(180);
	}

	private static void valueOperations(StateStoreOperations store, Reading reading) {
		store.set("machines/press", reading, (spec) -> spec.expire(Duration.ofMinutes(1)));
		Reading current = store.getValue("machines/press", Reading.class).orElse(null);
		boolean first = store.set("jobs/nightly", "node-1", (spec) -> spec.ifAbsent().expire(Duration.ofMinutes(5)))
			.applied();
		store.delete("machines/press");
		assertThat(current).isEqualTo(reading);
		assertThat(first).isTrue();
	}

	@StateStoreListener(keys = "machines/press/setpoint", initial = true)
	void setpoint(@Nullable Integer degrees) {
		logger.info("Setpoint is {}", degrees);
	}

	private static void locked(StateStoreLockRegistry locks) {
		FencedLock lock = locks.obtain("press-1");
		lock.lock();
		try {
			lock.operations().set("press-1/setpoint", 180);
		}
		finally {
			lock.unlock();
		}
	}

	/** Compiled only, because it needs a broker. */
	static void recipes(StateStoreOperations store, StateStoreLockRegistry locks, Candidate candidate) {
		locks.obtain("press-1").lock();
		StateStoreLeaderInitiator election = new StateStoreLeaderInitiator(locks.obtain("leader"), candidate);
		election.start();
		KeyWatch cache = store.watch("machines/press", Reading.class, (spec) -> spec.initial(),
				(change) -> logger.info("{}", change));
		logger.info("{}", cache);
	}

	@Component
	static class Machines {

		private final StateStoreOperations store;

		private final StateStoreLockRegistry locks;

		Machines(StateStoreOperations store, StateStoreLockRegistry locks) {
			this.store = store;
			this.locks = locks;
		}

		void change(int degrees) throws InterruptedException {
			FencedLock lock = this.locks.obtain("press-1");
			lock.execute((held) -> held.operations().set("press-1/setpoint", degrees));
		}

	}

	record Reading(String sensor, double value) {
	}

}
