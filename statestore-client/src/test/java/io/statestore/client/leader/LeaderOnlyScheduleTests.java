package io.statestore.client.leader;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.watch.TestClient;
import io.statestore.test.FaultProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Scheduled methods of the leader that write to the store during an outage. The scheduler
 * either makes up for the missed runs, or starts further runs while others are blocked.
 */
@Timeout(60)
class LeaderOnlyScheduleTests {

	private static final int PERIOD = 50;

	private final StateStoreBroker broker = StateStoreBroker.builder().start();

	private final FaultProxy proxy = new FaultProxy(this.broker.port());

	private final TestClient client = new TestClient(this.proxy.port()).start();

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	@AfterEach
	void close() {
		this.context.close();
		this.client.close();
		this.proxy.close();
		this.broker.close();
	}

	@ParameterizedTest
	@ValueSource(classes = { ThreadPoolTaskScheduler.class, SimpleAsyncTaskScheduler.class })
	void leaderDoesNotMakeUpForRunsMissedInOutage(Class<? extends TaskScheduler> scheduler) {
		this.context.registerBean(TestClient.class, () -> this.client);
		this.context.registerBean("taskScheduler", scheduler);
		this.context.register(Election.class, Oven.class);
		this.context.refresh();
		Oven oven = this.context.getBean(Oven.class);
		await("runs").until(() -> oven.leader().size() > 3);
		this.proxy.block();
		int before = oven.leader().size();
		await("an outage of several periods").pollDelay(Duration.ofMillis(20 * PERIOD)).until(() -> true);
		this.proxy.unblock();
		await("runs after the outage").until(() -> oven.leader().size() > before + 20);
		assertThat(missed(oven.leader())).isGreaterThan(10);
		// Spring makes up for the runs of a method without the annotation.
		if (scheduler == ThreadPoolTaskScheduler.class) {
			await("the missed runs").until(() -> missed(oven.always()) < 10);
		}
	}

	private static long missed(List<Long> starts) {
		return (System.nanoTime() - starts.get(0)) / Duration.ofMillis(PERIOD).toNanos() - starts.size();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Election {

		@Bean
		static LeaderOnlyAnnotationBeanPostProcessor leaderOnly() {
			return new LeaderOnlyAnnotationBeanPostProcessor();
		}

		@Bean
		StateStoreLeaderInitiator initiator(TestClient client) {
			return new StateStoreLeaderInitiator(new StateStoreLockRegistry(client.template).obtain("schedule"),
					new RecordingCandidate());
		}

	}

	static class Oven {

		/** Start times in nanoseconds. */
		private final List<Long> leader = new CopyOnWriteArrayList<>();

		private final List<Long> always = new CopyOnWriteArrayList<>();

		private final TestClient client;

		Oven(TestClient client) {
			this.client = client;
		}

		@LeaderOnly
		@Scheduled(fixedRate = PERIOD)
		void bake() {
			this.leader.add(System.nanoTime());
			this.client.template.set("bread", "baked");
		}

		@Scheduled(fixedRate = PERIOD)
		void warm() {
			this.always.add(System.nanoTime());
		}

		List<Long> leader() {
			return this.leader;
		}

		List<Long> always() {
			return this.always;
		}

	}

}
