package io.statestore.client.lock;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.client.StaleFencingTokenException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.lock.LockLoss.Reason;
import io.statestore.client.observation.TestClient;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/** Locks as applications use them, on the real store, over real sockets. */
@Timeout(120)
class FencedLockTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	/** Renewed every 100 ms or so. */
	private static final Duration SHORT = Duration.ofMillis(300);

	private final StateStoreBroker broker = StateStoreBroker.builder().start();

	private final List<AutoCloseable> closeables = new ArrayList<>();

	private final TestClient client = client();

	private final TestClient other = client();

	private final StateStoreLockRegistry registry = registry(this.client, LockOptions.DEFAULT);

	private final FencedLock lock = this.registry.obtain("lock");

	private final FencedLock elsewhere = registry(this.other, LockOptions.DEFAULT).obtain("lock");

	private TestClient client() {
		TestClient client = new TestClient(this.broker.port()).start();
		this.closeables.add(client);
		return client;
	}

	private StateStoreLockRegistry registry(TestClient client, LockOptions options) {
		StateStoreLockRegistry registry = new StateStoreLockRegistry(client.template,
				options.withStopTimeout(Duration.ZERO));
		this.closeables.add(0, registry::stop);
		return registry;
	}

	private FencedLock shortLock() {
		return registry(this.client, LockOptions.DEFAULT.withLease(SHORT)).obtain("lock");
	}

	/** As an operator does. Before its first renewal a holder would not notice. */
	private void breakLock() {
		await("an observation by the holder").until(() -> this.client.observations.isActive(Key.of("lock")));
		this.other.template.delete("lock");
	}

	/** Whether another process waits. */
	private boolean isObserved() {
		return this.other.observations.isActive(Key.of("lock"));
	}

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable closeable : this.closeables) {
			closeable.close();
		}
		this.broker.close();
	}

	@Test
	void oneHolderAtATimeAndTokensThatGrow() {
		assertThat(this.lock.tryLock()).isTrue();
		FencingToken first = this.lock.token();
		assertThat(this.elsewhere.tryLock()).isFalse();
		assertThat(this.elsewhere.isValid()).isFalse();
		assertThat(this.lock.isValid()).isTrue();
		assertThat(this.lock.remaining()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(30));
		this.lock.unlock();
		assertThat(this.lock.isValid()).isFalse();
		assertThat(this.lock.remaining()).isZero();
		assertThat(this.elsewhere.tryLock()).isTrue();
		assertThat(this.elsewhere.token()).isGreaterThan(first);
		this.elsewhere.unlock();
		assertThat(this.client.template.get("lock", String.class)).isEmpty();
	}

	@Test
	void anotherThreadNeitherGetsItNorReleasesIt() throws Exception {
		this.lock.lock();
		assertThat(LockFixture.async(this.lock::tryLock).get()).isFalse();
		assertThat(LockFixture.async(() -> this.lock.tryLock(1, TimeUnit.MILLISECONDS)).get()).isFalse();
		LockFixture.async(() -> {
			assertThat(this.lock.isHeldByCurrentThread()).isFalse();
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock)
				.withMessageContaining("'lock' is not held by this thread");
			return null;
		}).get();
		assertThat(this.lock.isHeldByCurrentThread()).isTrue();
		this.lock.unlock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::token);
		assertThat(LockFixture.async(() -> {
			boolean acquired = this.lock.tryLock();
			this.lock.unlock();
			return acquired;
		}).get()).isTrue();
	}

	@Test
	void theSameThreadAcquiresItAgain() throws Exception {
		this.lock.lock();
		FencingToken token = this.lock.token();
		assertThat(this.lock.tryLock()).isTrue();
		assertThat(this.lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
		this.lock.lockInterruptibly();
		assertThat(this.lock.token()).isEqualTo(token);
		for (int i = 0; i < 3; i++) {
			this.lock.unlock();
			assertThat(this.elsewhere.tryLock()).isFalse();
		}
		this.lock.unlock();
		assertThat(this.elsewhere.tryLock()).isTrue();
		this.elsewhere.unlock();
	}

	@Test
	void aWaiterIsServedWhenTheLockIsFreed() throws Exception {
		this.lock.lock(LONG);
		long start = System.nanoTime();
		CompletableFuture<Long> waiting = LockFixture.async(() -> {
			this.elsewhere.lock();
			long served = System.nanoTime();
			this.elsewhere.unlock();
			return served;
		});
		await("an observation").until(this::isObserved);
		assertThat(waiting).isNotDone();
		this.lock.unlock();
		// Much less than a poll would take.
		assertThat(Duration.ofNanos(waiting.get() - start)).isLessThan(Duration.ofSeconds(20));
	}

	@Test
	void waitsNoLongerThanAsked() throws Exception {
		this.lock.lock(LONG);
		long start = System.nanoTime();
		assertThat(this.elsewhere.tryLock(200, TimeUnit.MILLISECONDS)).isFalse();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(200));
		this.lock.unlock();
	}

	@Test
	void anInterruptEndsAnInterruptibleWaitOnly() throws Exception {
		this.lock.lock(LONG);
		AtomicReference<Thread> waiter = new AtomicReference<>();
		CompletableFuture<Boolean> interruptible = LockFixture.async(() -> {
			waiter.set(Thread.currentThread());
			this.elsewhere.lockInterruptibly();
			return true;
		});
		await("an observation").until(this::isObserved);
		Objects.requireNonNull(waiter.get()).interrupt();
		assertThat(interruptible).failsWithin(Duration.ofSeconds(20))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(InterruptedException.class);
		await("the end of the observation").until(() -> !isObserved());
		CompletableFuture<Boolean> uninterruptible = LockFixture.async(() -> {
			waiter.set(Thread.currentThread());
			Thread.currentThread().interrupt();
			this.elsewhere.lock();
			boolean interrupted = Thread.currentThread().isInterrupted();
			this.elsewhere.unlock();
			return interrupted;
		});
		await("an observation").until(this::isObserved);
		Objects.requireNonNull(waiter.get()).interrupt();
		assertThat(uninterruptible).isNotDone();
		this.lock.unlock();
		assertThat(uninterruptible).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(true);
	}

	@Test
	void aLeaseIsRenewedAsLongAsTheLockIsHeld() {
		FencedLock lock = shortLock();
		lock.lock();
		FencingToken token = lock.token();
		Version version = this.other.template.get("lock", String.class).orElseThrow().version();
		await("many renewals").until(() -> {
			assertThat(lock.isValid()).isTrue();
			return this.other.template.get("lock", String.class).orElseThrow().version().wallMillis()
					- version.wallMillis() > 4 * SHORT.toMillis();
		});
		assertThat(lock.token()).isEqualTo(token);
		assertThat(this.elsewhere.tryLock()).isFalse();
		lock.unlock();
	}

	@Test
	void aLossIsPushedToTheHolder() throws Exception {
		FencedLock lock = shortLock();
		List<LockLoss> losses = new CopyOnWriteArrayList<>();
		lock.addLossListener((loss) -> {
			throw new IllegalStateException("a listener that fails harms nobody");
		});
		lock.addLossListener(losses::add);
		lock.lock();
		Tenure tenure = lock.tenure();
		CountDownLatch told = new CountDownLatch(1);
		tenure.onLost((loss) -> told.countDown());
		StateStoreOperations operations = lock.operations();
		operations.set("protected", "1");
		breakLock();
		assertThat(told.await(20, TimeUnit.SECONDS)).isTrue();
		assertThat(lock.isValid()).isFalse();
		await("the listener").until(() -> !losses.isEmpty());
		assertThat(losses).singleElement().satisfies((loss) -> {
			assertThat(loss.key()).isEqualTo(Key.of("lock"));
			assertThat(loss.token()).isEqualTo(tenure.token());
		});
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> operations.set("protected", "2"));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> tenure.update("protected", String.class, (value) -> Optional.of("2")));
		assertThat(this.other.template.get("protected", String.class).orElseThrow().value()).isEqualTo("1");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock).withMessageContaining("was lost");
		assertThat(lock.isHeldByCurrentThread()).isFalse();
		AtomicBoolean late = new AtomicBoolean();
		tenure.onLost((loss) -> late.set(true));
		await("a late listener").until(late::get);
		lock.lock();
		assertThat(lock.token()).isGreaterThan(tenure.token());
		lock.unlock();
	}

	@Test
	void theStoreRefusesAStaleWriterAndTheLockIsLost() throws Exception {
		this.lock.lock();
		StateStoreOperations stale = this.lock.operations();
		stale.set("protected", "mine");
		// Somebody breaks the lock, and the holder does not know yet.
		this.other.template.delete("lock");
		this.elsewhere.lock();
		this.elsewhere.operations().set("protected", "theirs");
		assertThat(this.lock.isValid()).isTrue();
		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> stale.set("protected", "mine again"));
		assertThat(this.lock.isValid()).isFalse();
		assertThat(this.lock.tenure().loss()).map(LockLoss::reason).contains(Reason.FENCED);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> stale.delete("protected"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		assertThat(this.client.template.get("protected", String.class).orElseThrow().value()).isEqualTo("theirs");
		assertThat(this.elsewhere.isValid()).isTrue();
		this.elsewhere.unlock();
	}

	@Test
	void theHoldersThreadIsInterruptedOnRequest() {
		FencedLock lock = registry(this.client, LockOptions.DEFAULT.withLease(SHORT).withInterruptHolder(true))
			.obtain("lock");
		lock.lock();
		await("an observation").until(() -> this.client.observations.isActive(Key.of("lock")));
		// The interrupt may come before the reply.
		this.other.template.async().delete(Key.of("lock"));
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> new CountDownLatch(1).await());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
	}

	@Test
	void isLostAtTheDeadlineIfTheStoreStaysAway() {
		FencedLock lock = shortLock();
		List<LockLoss> losses = new CopyOnWriteArrayList<>();
		lock.addLossListener(losses::add);
		lock.lock();
		this.broker.close();
		await("the loss").until(() -> !losses.isEmpty());
		assertThat(losses).singleElement().extracting(LockLoss::reason).isEqualTo(Reason.EXPIRED);
		assertThat(lock.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		assertThatExceptionOfType(StateStoreNotSentException.class).isThrownBy(lock::tryLock);
	}

	@Test
	void stopEndsWaitForAnotherProcess() {
		this.lock.lock(LONG);
		StateStoreLockRegistry waitingRegistry = registry(this.other, LockOptions.DEFAULT);
		CompletableFuture<Boolean> waiting = LockFixture.async(() -> {
			waitingRegistry.obtain("lock").lock();
			return true;
		});
		await("an observation").until(this::isObserved);
		waitingRegistry.stop();
		assertThat(waiting).failsWithin(Duration.ofSeconds(20))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(IllegalStateException.class)
			.withMessageContaining("stopped");
		assertThatIllegalStateException().isThrownBy(() -> waitingRegistry.obtain("lock").tryLock())
			.withMessageContaining("Start it");
		this.lock.unlock();
	}

	@Test
	void executesUnderTheLock() throws Exception {
		String result = this.lock.execute((tenure) -> {
			assertThat(this.elsewhere.tryLock()).isFalse();
			assertThat(tenure.update("counter", Integer.class, (value) -> Optional.of(value.orElse(0) + 1)))
				.contains(1);
			assertThat(tenure.update("counter", Integer.class, (value) -> Optional.of(value.orElse(0) + 1)))
				.contains(2);
			assertThat(tenure.update("counter", Integer.class, (value) -> Optional.empty())).isEmpty();
			assertThat(tenure.update("counter", Integer.class, (value) -> Optional.empty())).isEmpty();
			return "done";
		});
		assertThat(result).isEqualTo("done");
		String second = this.lock.execute(Duration.ZERO, (tenure) -> {
			assertThatExceptionOfType(TimeoutException.class)
				.isThrownBy(() -> this.elsewhere.execute(Duration.ofMillis(50), (unused) -> "never"))
				.withMessageContaining("'lock' was not acquired within PT0.05S");
			return "done again";
		});
		assertThat(second).isEqualTo("done again");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.lock.execute((tenure) -> {
			throw new IOException("of the callback");
		})).withMessage("of the callback");
		assertThat(this.elsewhere.tryLock()).isTrue();
		this.elsewhere.unlock();
	}

	@Test
	void aTenureOutlivesNoLock() {
		this.lock.lock();
		Tenure tenure = this.lock.tenure();
		this.lock.unlock();
		this.lock.lock();
		assertThat(tenure.isValid()).isFalse();
		assertThat(tenure.loss()).isEmpty();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> tenure.operations().set("key", "value"))
			.withMessageContaining("it was released");
		assertThat(this.lock.isValid()).isTrue();
		this.lock.unlock();
	}

	@Test
	void showsWhoHoldsIt() {
		FencedLock lock = registry(this.client, LockOptions.DEFAULT.withHolderName("press-1").withKeyPrefix("locks/"))
			.obtain("lock");
		assertThat(lock.key()).isEqualTo(Key.of("locks/lock"));
		assertThat(lock.holder()).isEmpty();
		lock.lock();
		assertThat(lock.holder().orElseThrow()).startsWith("press-1/");
		assertThat(lock).asString().contains("held").contains(lock.token().toString());
		lock.unlock();
	}

	@Test
	void renewsOnRequest() throws Exception {
		this.lock.lock(Duration.ofSeconds(2));
		this.registry.renewLock("lock", LONG);
		assertThat(this.lock.remaining()).isGreaterThan(Duration.ofSeconds(30));
		this.registry.renewLock("lock");
		assertThat(this.lock.remaining()).isGreaterThan(Duration.ofSeconds(30));
		this.registry.renewLock("lock", Duration.ofSeconds(5));
		assertThat(this.lock.remaining()).isLessThan(Duration.ofSeconds(6));
		LockFixture
			.async(() -> assertThatExceptionOfType(IllegalMonitorStateException.class)
				.isThrownBy(() -> this.registry.renewLock("lock")))
			.get();
		this.other.template.delete("lock");
		this.other.template.set("lock", "somebody");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.registry.renewLock("lock"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
	}

	@Test
	void namesWhatIsWrong() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtain(4)).withMessageContaining("lockKey");
		assertThatIllegalArgumentException().isThrownBy(() -> this.lock.lock(Duration.ofMillis(1)))
			.withMessageContaining("'ttl' must be 100 ms to 24 h");
		assertThatIllegalArgumentException().isThrownBy(() -> LockOptions.DEFAULT.withLease(Duration.ofDays(2)))
			.withMessageContaining("'lease'");
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.lock::newCondition);
	}

	@Test
	void manyThreadsOfTwoProcessesNeverMeet() throws Exception {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger count = new AtomicInteger();
		List<CompletableFuture<Void>> threads = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			FencedLock mine = (i % 2 == 0) ? this.lock : this.elsewhere;
			threads.add(LockFixture.async(() -> {
				for (int round = 0; round < 25; round++) {
					mine.lock();
					try {
						assertThat(inside.incrementAndGet()).isEqualTo(1);
						count.incrementAndGet();
						inside.decrementAndGet();
					}
					finally {
						mine.unlock();
					}
				}
				return null;
			}));
		}
		for (CompletableFuture<Void> thread : threads) {
			thread.get();
		}
		assertThat(count).hasValue(200);
	}

}
