package io.statestore.client.leader;

import java.lang.ref.SoftReference;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationTextPublisher;
import io.statestore.broker.StateStoreBroker;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.watch.TestClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.support.ScheduledMethodRunnable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Runs of methods with a fixed rate, started by hand as a scheduler would. */
@Timeout(60)
class LeaderOnlyFixedRateTests {

	private static final int HOUR = 3_600_000;

	private final StateStoreBroker broker = StateStoreBroker.builder().start();

	private final TestClient client = new TestClient(this.broker.port()).start();

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	@BeforeEach
	void start() {
		this.context.registerBean(StateStoreLeaderInitiator.class,
				() -> new StateStoreLeaderInitiator(new StateStoreLockRegistry(this.client.template).obtain("leader"),
						new RecordingCandidate()));
		this.context.register(LeaderOnlyAnnotationBeanPostProcessor.class, Oven.class, Timer.class);
		this.context.refresh();
		await("leadership").until(this.context.getBean(StateStoreLeaderInitiator.class)::isLeader);
	}

	@AfterEach
	void close() {
		this.context.close();
		this.client.close();
		this.broker.close();
	}

	private Oven oven() {
		return this.context.getBean(Oven.class);
	}

	/** Runs a method as a scheduler does. */
	private static void schedule(Object bean, String method) throws NoSuchMethodException {
		new ScheduledMethodRunnable(bean, method).run();
	}

	@Test
	void rejectsEarlyRunAfterOutOfMemory() throws Exception {
		schedule(oven(), "bake");
		SoftReference<Object> garbage = new SoftReference<>(new Object());
		// The virtual machine clears all soft references before it throws this error.
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> {
			List<Object> memory = new ArrayList<>();
			while (true) {
				memory.add(new long[Integer.MAX_VALUE - 8]);
			}
		});
		assertThat(garbage.get()).isNull();
		schedule(oven(), "bake");
		assertThat(oven().count()).isEqualTo(1);
	}

	@Test
	void runsEqualBeansIndependently() throws Exception {
		schedule(oven(), "bake");
		Oven other = (Oven) this.context.getBeanFactory().initializeBean(new Oven(), "other");
		schedule(other, "bake");
		assertThat(other.count()).isEqualTo(1);
	}

	@Test
	void runsEveryDirectCallToScheduledMethod() throws Exception {
		Timer timer = this.context.getBean(Timer.class);
		schedule(timer, "tick");
		schedule(timer, "tick");
		schedule(timer, "tickAsLeader");
		assertThat(oven().count()).isEqualTo(3);
	}

	@Test
	void rejectsEarlyRunOfObservedSchedule() throws Exception {
		ObservationRegistry registry = ObservationRegistry.create();
		registry.observationConfig().observationHandler(new ObservationTextPublisher((text) -> {
		}));
		Method method = Oven.class.getMethod("bake");
		ScheduledMethodRunnable observed = new ScheduledMethodRunnable(oven(), method, null, () -> registry);
		observed.run();
		observed.run();
		assertThat(oven().count()).isEqualTo(1);
	}

	static class Oven {

		private final AtomicInteger count = new AtomicInteger();

		@LeaderOnly
		@Scheduled(fixedRate = HOUR)
		public void bake() {
			this.count.incrementAndGet();
		}

		int count() {
			return this.count.get();
		}

		@Override
		public boolean equals(Object other) {
			return other instanceof Oven;
		}

		@Override
		public int hashCode() {
			return 1;
		}

	}

	static class Timer {

		private final Oven oven;

		Timer(Oven oven) {
			this.oven = oven;
		}

		@Scheduled(fixedRate = HOUR)
		public void tick() {
			this.oven.bake();
		}

		@LeaderOnly
		@Scheduled(fixedRate = HOUR)
		public void tickAsLeader() {
			this.oven.bake();
		}

	}

}
