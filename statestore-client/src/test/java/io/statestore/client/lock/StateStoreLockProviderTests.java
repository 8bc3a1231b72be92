package io.statestore.client.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.StateStoreException;
import io.statestore.client.observation.TestClient;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
import org.junit.jupiter.api.AfterEach;
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

/** What ShedLock expects of a provider, on the real store, over real sockets. */
@Tag("long")
@Timeout(120)
class StateStoreLockProviderTests {

	/** Longer than any test. */
	private static final Duration LONG = Duration.ofMinutes(5);

	private static final Duration SHORT = Duration.ofMillis(300);

	private final StateStoreBroker broker = StateStoreBroker.builder().start();

	private final TestClient client = new TestClient(this.broker.port()).start();

	private final TestClient other = new TestClient(this.broker.port()).start();

	private final StateStoreLockRegistry registry = new StateStoreLockRegistry(this.client.template);

	private final StateStoreLockProvider provider = new StateStoreLockProvider(this.registry);

	private final StateStoreLockProvider elsewhere = new StateStoreLockProvider(
			new StateStoreLockRegistry(this.other.template));

	private final ExecutorService threads = Executors.newCachedThreadPool();

	@AfterEach
	void close() {
		this.threads.shutdownNow();
		this.client.close();
		this.other.close();
		this.broker.close();
	}

	private static LockConfiguration named(String name, Duration atMostFor, Duration atLeastFor) {
		return new LockConfiguration(Instant.now(), name, atMostFor, atLeastFor);
	}

	private static LockConfiguration lasting(Duration atMostFor) {
		return named("task", atMostFor, Duration.ZERO);
	}

	private static Optional<SimpleLock> tryLock(LockProvider provider) {
		return provider.lock(lasting(LONG));
	}

	private SimpleLock lock(LockConfiguration configuration) {
		return this.provider.lock(configuration).orElseThrow();
	}

	private SimpleLock lock() {
		return lock(lasting(LONG));
	}

	/** For a moment, in which a slow machine may not notice that it has it. */
	private SimpleLock lockBriefly() {
		List<SimpleLock> locks = new ArrayList<>();
		await("a short lock").until(() -> {
			this.provider.lock(lasting(SHORT)).ifPresent(locks::add);
			return !locks.isEmpty();
		});
		return locks.get(0);
	}

	private void assertLocked() {
		assertThat(tryLock(this.provider)).isEmpty();
		assertThat(tryLock(this.elsewhere)).isEmpty();
	}

	private void assertUnlocked() {
		tryLock(this.elsewhere).orElseThrow().unlock();
		lock().unlock();
	}

	private void awaitUnlocked() {
		await("the end of the lock").until(() -> {
			Optional<SimpleLock> lock = tryLock(this.elsewhere);
			lock.ifPresent(SimpleLock::unlock);
			return lock.isPresent();
		});
	}

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
	void locksOfDifferentNamesAreIndependent() {
		SimpleLock lock = lock();
		SimpleLock another = lock(named("another", LONG, Duration.ZERO));
		another.unlock();
		assertLocked();
		lock.unlock();
	}

	@ParameterizedTest
	@ValueSource(strings = { "a b", "a/b", "#", "+", "täsk-é-任务-🔒", "'; drop table", "a\0b\r\nc", "*?[a-z]", "$SYS" })
	void takesNamesOfAllCharacters(String name) {
		LockConfiguration configuration = named(name, LONG, Duration.ZERO);
		SimpleLock lock = lock(configuration);
		assertThat(this.elsewhere.lock(configuration)).isEmpty();
		lock.unlock();
		this.elsewhere.lock(configuration).orElseThrow().unlock();
	}

	@Test
	void lockEndsAfterLockAtMostFor() {
		long start = System.nanoTime();
		lockBriefly();
		awaitUnlocked();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(SHORT.multipliedBy(9).dividedBy(10));
	}

	@Test
	void lockOfADeadProcessEndsAfterLockAtMostFor() {
		lockBriefly();
		this.client.close();
		awaitUnlocked();
	}

	@Test
	void lockAtLeastForKeepsItAfterUnlock() {
		SimpleLock lock = lock(named("task", LONG, LONG));
		lock.unlock();
		assertLocked();
		// It is not this process that keeps it.
		this.registry.stop();
		assertThat(tryLock(this.elsewhere)).isEmpty();
	}

	@Test
	void lockEndsAfterLockAtLeastFor() {
		long start = System.nanoTime();
		SimpleLock lock = lock(named("task", LONG, SHORT));
		lock.unlock();
		awaitUnlocked();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(SHORT.multipliedBy(9).dividedBy(10));
	}

	@Test
	void unlockAfterLockAtLeastForFreesItAtOnce() {
		long start = System.nanoTime();
		SimpleLock lock = lock(named("task", LONG, Duration.ofMillis(20)));
		await("lockAtLeastFor").until(() -> System.nanoTime() - start > 50_000_000L);
		lock.unlock();
		assertUnlocked();
	}

	@Test
	void extensionProlongs() {
		Duration atMostFor = Duration.ofSeconds(5);
		SimpleLock lock = lock(lasting(atMostFor));
		long locked = System.nanoTime();
		SimpleLock extended = lock.extend(LONG, Duration.ZERO).orElseThrow();
		await("the end of the first lease")
			.until(() -> System.nanoTime() - locked > atMostFor.plusSeconds(1).toNanos());
		assertLocked();
		extended.unlock();
		assertUnlocked();
	}

	@Test
	void extensionSetsANewEnd() {
		SimpleLock lock = lock();
		try {
			lock.extend(Duration.ofSeconds(1), Duration.ZERO);
		}
		catch (StateStoreException ex) {
			// Not answered within a sixth of it, which does not change its end.
		}
		awaitUnlocked();
	}

	@Test
	void extensionHasALockAtLeastForOfItsOwn() {
		lock().extend(LONG, LONG).orElseThrow().unlock();
		assertLocked();
	}

	@Test
	void cannotBeExtendedAfterItsEnd() {
		SimpleLock lock = lockBriefly();
		awaitUnlocked();
		assertThat(lock.extend(LONG, Duration.ZERO)).isEmpty();
		assertUnlocked();
	}

	@Test
	void cannotBeUsedAfterUnlock() {
		SimpleLock lock = lock();
		lock.unlock();
		assertThatIllegalStateException().isThrownBy(() -> lock.extend(LONG, Duration.ZERO));
		assertThatIllegalStateException().isThrownBy(lock::unlock);
		assertUnlocked();
	}

	@Test
	void cannotBeUsedAfterExtension() {
		SimpleLock lock = lock();
		SimpleLock extended = lock.extend(LONG, Duration.ZERO).orElseThrow();
		assertThatIllegalStateException().isThrownBy(() -> lock.extend(LONG, Duration.ZERO));
		assertThatIllegalStateException().isThrownBy(lock::unlock);
		assertLocked();
		extended.extend(LONG, Duration.ZERO).orElseThrow().unlock();
		assertUnlocked();
	}

	@Test
	void leavesTheLockOfTheNextHolderAlone() {
		for (LockProvider next : List.of(this.provider, this.elsewhere)) {
			SimpleLock unlocking = lockBriefly();
			awaitUnlocked();
			SimpleLock extending = lockBriefly();
			awaitUnlocked();
			SimpleLock theirs = tryLock(next).orElseThrow();
			unlocking.unlock();
			assertThat(extending.extend(LONG, Duration.ZERO)).isEmpty();
			assertLocked();
			theirs.unlock();
			assertUnlocked();
		}
	}

	@Test
	void noticesThatItsLockWasTaken() {
		SimpleLock lock = lock();
		this.other.template.delete("task");
		SimpleLock theirs = tryLock(this.elsewhere).orElseThrow();
		assertThat(lock.extend(LONG, Duration.ZERO)).isEmpty();
		assertLocked();
		theirs.unlock();
	}

	@Test
	void exactlyOneOfManyAttemptsWins() throws Exception {
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
	void manyTasksNeverMeet() throws Exception {
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
	void anyThreadMayUnlock() throws Exception {
		SimpleLock lock = lock();
		this.threads.submit(() -> {
			lock.unlock();
			return true;
		}).get();
		assertUnlocked();
	}

	@Test
	void servesTheToolsOfShedLock() throws Throwable {
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
	void servesKeepAlive() {
		ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
		try {
			SimpleLock lock = tryLock(new KeepAliveLockProvider(this.provider, scheduler)).orElseThrow();
			assertLocked();
			lock.unlock();
			assertUnlocked();
		}
		finally {
			scheduler.shutdownNow();
		}
	}

	@Test
	void isTheLockThatTheRegistryHasForTheName() {
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
	void saysThatTheStoreIsAwayOnlyToWhoWantsALock() {
		SimpleLock lock = lockBriefly();
		this.broker.close();
		assertThatExceptionOfType(StateStoreException.class).isThrownBy(() -> this.provider.lock(lasting(SHORT)));
		// At the end of a task that may have failed for reasons of its own.
		lock.unlock();
	}

	@Test
	void namesWhatIsWrong() {
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
