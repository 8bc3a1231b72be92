package io.statestore.boot;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.leader.LeaderContext;
import io.statestore.client.leader.LeaderOnly;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.integration.leader.event.AbstractLeaderEvent;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.leader.event.OnRevokedEvent;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Leader election of applications that share a broker. */
@Timeout(120)
class LeaderElectionEndToEndTests {

	@Test
	void anotherCandidateTakesOverImmediately() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				ConfigurableApplicationContext first = run(broker, Oven.class)) {
			await().until(() -> isLeader(first));
			try (ConfigurableApplicationContext second = run(broker, Oven.class)) {
				Oven idle = second.getBean(Oven.class);
				await().until(() -> idle.scheduled().get() > 5 && first.getBean(Oven.class).baked().get() > 0);
				assertThat(isLeader(second)).isFalse();
				assertThat(idle.baked()).hasValue(0);
				first.close();
				await().until(() -> isLeader(second) && idle.baked().get() > 0);
			}
		}
	}

	@Test
	void revokesLeaderIfLockKeyIsDeleted() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				ConfigurableApplicationContext leader = run(broker, Oven.class);
				ConfigurableApplicationContext third = run(broker)) {
			List<AbstractLeaderEvent> events = leader.getBean(Oven.class).events();
			await().until(() -> isLeader(leader));
			third.getBean(StateStoreOperations.class).delete("locks/oven");
			await().until(() -> events.size() == 3);
			assertThat(events).extracting((event) -> (Object) event.getClass())
				.containsExactly(OnGrantedEvent.class, OnRevokedEvent.class, OnGrantedEvent.class);
			assertThat(events).extracting(AbstractLeaderEvent::getRole).containsOnly("oven");
			LeaderContext before = (LeaderContext) events.get(0).getContext();
			LeaderContext now = (LeaderContext) events.get(2).getContext();
			assertThat(before.isLeader()).isFalse();
			assertThat(now.isLeader()).isTrue();
			assertThat(now.token().version()).isGreaterThan(before.token().version());
		}
	}

	private static boolean isLeader(ConfigurableApplicationContext application) {
		return application.getBean(StateStoreLeaderInitiator.class).isLeader();
	}

	private static ConfigurableApplicationContext run(StateStoreBroker broker, Class<?>... components) {
		return new SpringApplicationBuilder(Application.class).sources(components)
			.properties("statestore.port=" + broker.port(), "spring.application.name=oven",
					"statestore.leader.enabled=" + (components.length > 0), "statestore.leader.lease=10m",
					"statestore.start-timeout=20s")
			.run();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	@ImportAutoConfiguration({ StateStoreAutoConfiguration.class, StateStoreLockAutoConfiguration.class,
			StateStoreLeaderAutoConfiguration.class })
	static class Application {

	}

	static class Oven {

		private final AtomicInteger scheduled = new AtomicInteger();

		private final AtomicInteger baked = new AtomicInteger();

		private final List<AbstractLeaderEvent> events = new CopyOnWriteArrayList<>();

		@Scheduled(fixedRate = 5)
		void always() {
			this.scheduled.incrementAndGet();
		}

		@Scheduled(fixedRate = 5)
		@LeaderOnly
		void bake() {
			this.baked.incrementAndGet();
		}

		@EventListener
		void leaderChanged(AbstractLeaderEvent event) {
			this.events.add(event);
		}

		AtomicInteger scheduled() {
			return this.scheduled;
		}

		AtomicInteger baked() {
			return this.baked;
		}

		List<AbstractLeaderEvent> events() {
			return this.events;
		}

	}

}
