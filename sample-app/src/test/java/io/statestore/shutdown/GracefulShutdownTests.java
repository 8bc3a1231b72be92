package io.statestore.shutdown;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Entry;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.annotation.StateStoreListenerRegistry;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.ConnectionListener;
import io.statestore.client.mqtt.StateStoreConnection;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/** Shutdown of a web application with an embedded broker during a request. */
@Timeout(60)
class GracefulShutdownTests {

	@Test
	void lastRequestUsesListenersLeadershipAndLocks(@TempDir Path directory) {
		List<String> events = new CopyOnWriteArrayList<>();
		try (ConfigurableApplicationContext application = run(directory, events)) {
			Kitchen kitchen = application.getBean(Kitchen.class);
			ThreadPoolTaskScheduler scheduler = application.getBean(ThreadPoolTaskScheduler.class);
			Awaitility.await().until(application.getBean(StateStoreLeaderInitiator.class)::isLeader);
			String url = "http://localhost:" + application.getEnvironment().getProperty("local.server.port");
			// The common pool may have a single thread.
			Executor threads = (task) -> new Thread(task).start();
			CompletableFuture<String> response = CompletableFuture
				.supplyAsync(() -> RestClient.create(url).get().uri("/bake").retrieve().body(String.class), threads);
			Awaitility.await().until(() -> kitchen.started.getCount() == 0);
			CompletableFuture<Void> shutdown = CompletableFuture.runAsync(application::close, threads);
			// The scheduler stops first.
			Awaitility.await().until(() -> !scheduler.isRunning());
			kitchen.proceed.countDown();
			assertThat(response.join()).isEqualTo("baked 180 degrees");
			shutdown.join();
		}
		assertThat(events).containsExactly("request completed", "leadership revoked", "connection lost",
				"broker closed");
		try (ConfigurableApplicationContext next = run(directory, new CopyOnWriteArrayList<>())) {
			assertThat(next.getBean(StateStoreOperations.class).get("bread", String.class)).map(Entry::value)
				.contains("baked");
		}
	}

	private static ConfigurableApplicationContext run(Path directory, List<String> events) {
		return new SpringApplicationBuilder(Application.class)
			.initializers((context) -> context.getBeanFactory().registerSingleton("events", events))
			.properties("server.port=0", "server.shutdown=graceful", "statestore.embedded.enabled=true",
					"statestore.embedded.data-directory=" + directory, "statestore.leader.enabled=true",
					"statestore.leader.role=oven")
			.run();
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableScheduling
	@Import(Kitchen.class)
	static class Application {

		@Bean
		static DestructionAwareBeanPostProcessor closing(List<String> events) {
			return (bean, name) -> {
				if (bean instanceof StateStoreBroker) {
					events.add("broker closed");
				}
			};
		}

		@Bean
		DefaultCandidate candidate(List<String> events, StateStoreListenerRegistry listeners,
				StateStoreConnection connection) {
			connection.addListener(new ConnectionListener() {

				@Override
				public void disconnected(String cause) {
					events.add("connection lost");
				}

			});
			return new DefaultCandidate("id", "oven") {

				@Override
				public void onRevoked(Context context) {
					assertThat(listeners.isRunning()).isFalse();
					events.add("leadership revoked");
				}

			};
		}

	}

	@RestController
	static class Kitchen {

		private final CountDownLatch started = new CountDownLatch(1);

		private final CountDownLatch proceed = new CountDownLatch(1);

		private final CompletableFuture<Integer> temperature = new CompletableFuture<>();

		private final List<String> events;

		private final StateStoreOperations store;

		private final StateStoreLeaderInitiator leader;

		private final StateStoreLockRegistry locks;

		Kitchen(List<String> events, StateStoreOperations store, StateStoreLeaderInitiator leader,
				StateStoreLockRegistry locks) {
			this.events = events;
			this.store = store;
			this.leader = leader;
			this.locks = locks;
		}

		@StateStoreListener(keys = "temperature")
		void changed(Integer celsius) {
			this.temperature.complete(celsius);
		}

		@GetMapping("/bake")
		String bake() throws Exception {
			this.started.countDown();
			this.proceed.await(20, TimeUnit.SECONDS);
			FencedLock lock = this.locks.obtain("oven door", Duration.ofSeconds(20));
			lock.lock();
			try {
				this.store.set("temperature", 180);
				int celsius = this.temperature.get(10, TimeUnit.SECONDS);
				this.leader.context().orElseThrow().operations().set("bread", "baked");
				this.events.add("request completed");
				return "baked " + celsius + " degrees";
			}
			finally {
				lock.unlock();
			}
		}

		@Scheduled(fixedRate = 100)
		void tick() {
		}

	}

}
