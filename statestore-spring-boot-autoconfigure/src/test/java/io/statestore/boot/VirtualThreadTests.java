package io.statestore.boot;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockLostException;
import io.statestore.client.lock.StateStoreLockRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Threads that run application code, depending on Spring Boot's property. */
class VirtualThreadTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class,
				EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class,
				StateStoreLockAutoConfiguration.class, StateStoreLeaderAutoConfiguration.class))
		.withBean(Callbacks.class)
		.withPropertyValues("statestore.embedded.enabled=true", "statestore.leader.enabled=true",
				"statestore.leader.role=oven", "statestore.lock.lease=3s");

	@Test
	void platformThreadsRunApplicationCodeByDefault() {
		assertThreads("false", false);
	}

	/**
	 * Tagged as a long test, because CI runs long tests on a JDK with virtual threads.
	 */
	@Test
	@Tag("long")
	void virtualThreadsRunApplicationCodeIfEnabled() {
		assertThreads("true", Runtime.version().feature() >= 21);
	}

	private void assertThreads(String enabled, boolean virtual) {
		this.contextRunner.withPropertyValues("spring.threads.virtual.enabled=" + enabled)
			.run((context) -> assertThat(callAll(context)).allSatisfy((kind, thread) -> {
				assertThat(thread.getClass().getSimpleName().contains("Virtual")).as(kind).isEqualTo(virtual);
				assertThat(thread.getName()).startsWith("statestore-" + kind);
				assertThat(thread.isDaemon()).isTrue();
			}));
	}

	private static Map<String, Thread> callAll(ApplicationContext context) {
		Map<String, Thread> threads = context.getBean(Callbacks.class).threads();
		StateStoreOperations store = context.getBean(StateStoreOperations.class);
		FencedLock lock = context.getBean(StateStoreLockRegistry.class).obtain("lock");
		lock.lock();
		lock.heldLock().onLost((loss) -> threads.put("lock-callback", Thread.currentThread()));
		store.delete("lock");
		Awaitility.await().until(() -> threads.containsKey("lock-callback"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		Thread caller = Thread.currentThread();
		Awaitility.await().until(() -> {
			store.set("temperature", 180);
			CompletableFuture<?> call = context.getBean(StateStoreAsyncOperations.class)
				.get("temperature", Integer.class)
				.thenRun(() -> threads.put("reply", Thread.currentThread()));
			call.join();
			threads.remove("reply", caller);
			return threads.size() == 4;
		});
		return threads;
	}

	static class Callbacks extends DefaultCandidate {

		private final Map<String, Thread> threads = new ConcurrentHashMap<>();

		Callbacks() {
			super("id", "oven");
		}

		@Override
		public void onGranted(Context context) {
			this.threads.put("leader", Thread.currentThread());
		}

		@StateStoreListener(keys = "temperature")
		void changed(Integer celsius) {
			this.threads.put("listener", Thread.currentThread());
		}

		Map<String, Thread> threads() {
			return this.threads;
		}

	}

}
