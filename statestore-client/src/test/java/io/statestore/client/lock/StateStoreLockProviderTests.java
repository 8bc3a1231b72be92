package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.client.StateStoreException;
import io.statestore.protocol.Version;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/** Contract of a ShedLock provider, on a store on a real socket. */
@Tag("long")
@Timeout(120)
class StateStoreLockProviderTests extends LockProviderFixture {

	@Test
	void locksAndUnlocks() {
		for (int i = 0; i < 10; i++) {
			SimpleLock lock = lock();
			assertLocked();
			lock.unlock();
			assertUnlocked();
		}
	}

	@Test
	void locksWithDifferentNamesAreIndependent() {
		SimpleLock lock = lock();
		SimpleLock another = lock(named("another", LONG, Duration.ZERO));
		another.unlock();
		assertLocked();
		lock.unlock();
	}

	@ParameterizedTest
	@ValueSource(strings = { "a b", "a/b", "#", "+", "täsk-é-任务-🔒", "'; drop table", "a\0b\r\nc", "*?[a-z]", "$SYS" })
	void acceptsAllCharactersInNames(String name) {
		LockConfiguration configuration = named(name, LONG, Duration.ZERO);
		SimpleLock lock = lock(configuration);
		assertThat(this.elsewhere.lock(configuration)).isEmpty();
		lock.unlock();
		this.elsewhere.lock(configuration).orElseThrow().unlock();
	}

	@Test
	void grantsLockToOneOfManyAttempts() throws Exception {
		for (int round = 0; round < 10; round++) {
			CyclicBarrier start = new CyclicBarrier(8);
			List<Future<Optional<SimpleLock>>> attempts = new ArrayList<>();
			for (int i = 0; i < 8; i++) {
				LockProvider mine = (i % 2 == 0) ? this.provider : this.elsewhere;
				attempts.add(this.threads.submit(() -> {
					start.await(60, TimeUnit.SECONDS);
					return tryLock(mine);
				}));
			}
			List<SimpleLock> winners = new ArrayList<>();
			for (Future<Optional<SimpleLock>> attempt : attempts) {
				attempt.get().ifPresent(winners::add);
			}
			assertThat(winners).hasSize(1);
			winners.get(0).unlock();
		}
	}

	@Test
	void excludesTasksInTwoProcesses() throws Exception {
		AtomicInteger inside = new AtomicInteger();
		List<Future<Integer>> tasks = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			LockProvider mine = (i % 2 == 0) ? this.provider : this.elsewhere;
			tasks.add(this.threads.submit(() -> {
				int runs = 0;
				while (runs < 25) {
					Optional<SimpleLock> lock = tryLock(mine);
					if (lock.isPresent()) {
						assertThat(inside.incrementAndGet()).isEqualTo(1);
						runs++;
						inside.decrementAndGet();
						lock.get().unlock();
					}
				}
				return runs;
			}));
		}
		for (Future<Integer> task : tasks) {
			assertThat(task.get()).isEqualTo(25);
		}
	}

	@Test
	void anyThreadUnlocks() throws Exception {
		SimpleLock lock = lock();
		this.threads.submit(() -> {
			lock.unlock();
			return true;
		}).get();
		assertUnlocked();
	}

	@Test
	void supportsShedLockTools() throws Throwable {
		LockingTaskExecutor executor = new DefaultLockingTaskExecutor(this.provider);
		LockingTaskExecutor there = new DefaultLockingTaskExecutor(this.elsewhere);
		List<String> runs = new CopyOnWriteArrayList<>();
		executor.executeWithLock((LockingTaskExecutor.Task) () -> {
			LockAssert.assertLocked();
			LockExtender.extendActiveLock(LONG, Duration.ZERO);
			this.threads.submit(() -> {
				there.executeWithLock((Runnable) () -> runs.add("elsewhere"), lasting(LONG));
				return true;
			}).get();
			executor.executeWithLock((Runnable) () -> runs.add("nested"), lasting(LONG));
			runs.add("here");
		}, lasting(LONG));
		assertThat(runs).containsExactly("nested", "here");
		assertUnlocked();
	}

	@Test
	void supportsKeepAliveLockProvider() {
		List<Runnable> extensions = new ArrayList<>();
		ScheduledExecutorService scheduler = new ScheduledThreadPoolExecutor(1) {

			@Override
			public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long delay, long period, TimeUnit unit) {
				extensions.add(task);
				return super.scheduleAtFixedRate(task, delay, period, unit);
			}

		};
		try {
			SimpleLock lock = tryLock(new KeepAliveLockProvider(this.provider, scheduler)).orElseThrow();
			Version locked = this.other.template.get("task", String.class).orElseThrow().version();
			extensions.get(0).run();
			extensions.get(0).run();
			assertThat(this.other.template.get("task", String.class).orElseThrow().version()).isGreaterThan(locked);
			assertLocked();
			lock.unlock();
			assertUnlocked();
		}
		finally {
			scheduler.shutdownNow();
		}
	}

	@Test
	void sharesNamedLockWithRegistry() {
		FencedLock fenced = this.registry.obtain("task");
		SimpleLock lock = lock();
		assertThat(fenced.tryLock()).isFalse();
		lock.unlock();
		assertThat(fenced.tryLock()).isTrue();
		assertLocked();
		fenced.unlock();
		LockOptions options = LockOptions.DEFAULT.withKeyPrefix("jobs/").withHolderName("press-1");
		SimpleLock prefixed = tryLock(
				new StateStoreLockProvider(new StateStoreLockRegistry(this.client.template, options)))
			.orElseThrow();
		assertThat(this.other.template.get("jobs/task", String.class).orElseThrow().value()).startsWith("press-1/");
		prefixed.unlock();
	}

	@Test
	void stopLeavesLocksOfRunningTasks() {
		SimpleLock lock = lock();
		this.registry.stop();
		assertThat(tryLock(this.elsewhere)).isEmpty();
		assertThatIllegalStateException().isThrownBy(this::lock).withMessageContaining("Start it");
		lock.unlock();
		await("the release").until(() -> {
			Optional<SimpleLock> next = tryLock(this.elsewhere);
			next.ifPresent(SimpleLock::unlock);
			return next.isPresent();
		});
		this.registry.start();
		assertUnlocked();
	}

	@Test
	void unavailableStoreFailsLockButNotUnlock() {
		SimpleLock lock = lockBriefly();
		this.broker.close();
		assertThatExceptionOfType(StateStoreException.class).isThrownBy(() -> this.provider.lock(lasting(SHORT)));
		// Does not throw, because the task may have failed with another exception.
		lock.unlock();
	}

	@Test
	void refusesInvalidLockAtMostFor() {
		assertThatIllegalArgumentException().isThrownBy(() -> lock(lasting(Duration.ZERO)))
			.withMessageContaining("'lockAtMostFor' must be 10 ms to 365 days, but is PT0S");
		assertThatIllegalArgumentException().isThrownBy(() -> lock(lasting(Duration.ofDays(366))))
			.withMessageContaining("'lockAtMostFor'");
		SimpleLock lock = lock();
		assertThatIllegalArgumentException().isThrownBy(() -> lock.extend(Duration.ofMillis(1), Duration.ZERO))
			.withMessageContaining("'lockAtMostFor'");
		lock.unlock();
		assertUnlocked();
	}

}
