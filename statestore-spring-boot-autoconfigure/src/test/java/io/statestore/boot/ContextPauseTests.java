package io.statestore.boot;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Entry;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockLostEvent;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.StateStoreConnection;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Paused application contexts, as in the context cache of Spring's TestContext framework.
 */
@Timeout(60)
class ContextPauseTests {

	@Test
	void pausedContextStopsLeadingAndListeningAndKeepsItsBroker() {
		try (ConfigurableApplicationContext paused = run("statestore.embedded.enabled=true")) {
			await().until(() -> isLeader(paused));
			List<Integer> temperatures = paused.getBean(Display.class).temperatures();
			try (ConfigurableApplicationContext other = run(
					"statestore.port=" + paused.getBean(StateStoreBroker.class).port())) {
				store(other).set("temperature", 1);
				await().until(() -> temperatures.contains(1));
				paused.pause();
				int calls = temperatures.size();
				assertThat(isLeader(paused)).isFalse();
				assertThat(paused.getBean(StateStoreConnection.class).isConnected()).isFalse();
				await().until(() -> isLeader(other));
				store(other).set("temperature", 2);
				store(other).set("temperature", 3);
				await().until(() -> other.getBean(Display.class).temperatures().contains(3));
				assertThat(temperatures).hasSize(calls);
				paused.restart();
				await().until(() -> temperatures.size() == calls + 1 && temperatures.get(calls) == 3);
				assertThat(store(paused).get("temperature", Integer.class)).map(Entry::value).contains(3);
				assertThat(isLeader(other)).isTrue();
			}
			await().until(() -> isLeader(paused));
		}
	}

	@Test
	void pauseEndsHeldLocks() {
		try (ConfigurableApplicationContext context = run("statestore.embedded.enabled=true",
				"statestore.lock.stop-timeout=0s")) {
			FencedLock lock = context.getBean(StateStoreLockRegistry.class).obtain("lock");
			lock.lock();
			List<LockLostEvent.Reason> losses = new CopyOnWriteArrayList<>();
			lock.heldLock().onLost((loss) -> losses.add(loss.reason()));
			context.pause();
			await().until(() -> losses.equals(List.of(LockLostEvent.Reason.STOPPED)));
			context.restart();
			assertThat(lock.heldLock().isValid()).isFalse();
			FencedLock next = context.getBean(StateStoreLockRegistry.class).obtain("next", Duration.ofSeconds(5));
			assertThat(next.tryLock()).isTrue();
			next.unlock();
		}
	}

	private static StateStoreOperations store(ConfigurableApplicationContext context) {
		return context.getBean(StateStoreOperations.class);
	}

	private static boolean isLeader(ConfigurableApplicationContext context) {
		return context.getBean(StateStoreLeaderInitiator.class).isLeader();
	}

	private static ConfigurableApplicationContext run(String... properties) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("statestore.leader.enabled=true", "statestore.leader.role=oven", "statestore.leader.lease=10m")
			.properties(properties)
			.run();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ JacksonAutoConfiguration.class, EmbeddedStateStoreAutoConfiguration.class,
			StateStoreAutoConfiguration.class, StateStoreLockAutoConfiguration.class,
			StateStoreLeaderAutoConfiguration.class })
	@Import(Display.class)
	static class Application {

	}

	static class Display {

		private final List<Integer> temperatures = new CopyOnWriteArrayList<>();

		@StateStoreListener(keys = "temperature", initial = true)
		void changed(@Nullable Integer celsius) {
			if (celsius != null) {
				this.temperatures.add(celsius);
			}
		}

		List<Integer> temperatures() {
			return this.temperatures;
		}

	}

}
