package io.statestore.client.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.watch.TestClient;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** ShedLock's annotations in two applications that share a store. */
@Timeout(120)
class SchedulerLockTests {

	@Test
	void runsTaskInOneApplicationAtATime() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				AnnotationConfigApplicationContext one = application(broker);
				AnnotationConfigApplicationContext two = application(broker)) {
			Tasks here = one.getBean(Tasks.class);
			Tasks there = two.getBean(Tasks.class);
			CompletableFuture<Void> run = CompletableFuture.runAsync(here::report);
			here.started().await();
			there.report();
			assertThat(there.runs()).hasValue(0);
			here.mayEnd().countDown();
			run.get(60, TimeUnit.SECONDS);
			assertThat(here.runs()).hasValue(1);
			there.mayEnd().countDown();
			there.report();
			assertThat(there.runs()).hasValue(1);
			await("scheduled runs").until(() -> here.ticks().get() + there.ticks().get() > 3);
		}
	}

	private static AnnotationConfigApplicationContext application(StateStoreBroker broker) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean(TestClient.class, () -> new TestClient(broker.port()).start());
		context.register(Application.class);
		context.refresh();
		return context;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	@EnableSchedulerLock(defaultLockAtMostFor = "1m")
	static class Application {

		@Bean
		StateStoreLockRegistry lockRegistry(TestClient client) {
			return new StateStoreLockRegistry(client.template);
		}

		@Bean
		LockProvider lockProvider(StateStoreLockRegistry registry) {
			return new StateStoreLockProvider(registry);
		}

		@Bean
		ThreadPoolTaskScheduler taskScheduler() {
			return new ThreadPoolTaskScheduler();
		}

		@Bean
		Tasks tasks() {
			return new Tasks();
		}

	}

	static class Tasks {

		private final CountDownLatch started = new CountDownLatch(1);

		private final CountDownLatch mayEnd = new CountDownLatch(1);

		private final AtomicInteger runs = new AtomicInteger();

		private final AtomicInteger ticks = new AtomicInteger();

		@SchedulerLock(name = "report")
		public void report() {
			LockAssert.assertLocked();
			LockExtender.extendActiveLock(Duration.ofMinutes(2), Duration.ZERO);
			this.started.countDown();
			try {
				this.mayEnd.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			this.runs.incrementAndGet();
		}

		@Scheduled(fixedDelay = 10)
		@SchedulerLock(name = "tick")
		public void tick() {
			LockAssert.assertLocked();
			this.ticks.incrementAndGet();
		}

		CountDownLatch started() {
			return this.started;
		}

		CountDownLatch mayEnd() {
			return this.mayEnd;
		}

		AtomicInteger runs() {
			return this.runs;
		}

		AtomicInteger ticks() {
			return this.ticks;
		}

	}

}
