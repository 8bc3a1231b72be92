package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

import io.statestore.client.InMemoryStateStore;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.LockLostEvent.Reason;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Asynchronous sections in virtual time. Their results complete when a test says so. */
class AsyncSectionTests {

	private static final Duration WAIT = Duration.ofSeconds(1);

	private final ScriptedStore time = new ScriptedStore();

	private final StateStoreTemplate template = new StateStoreTemplate(new InMemoryStateStore());

	/** Tasks that complete results. */
	private final Queue<Runnable> replies = new ArrayDeque<>();

	private final StateStoreLockRegistry registry = registry();

	private final FencedLock lock = this.registry.obtain("lock");

	private final FencedLock elsewhere = registry().obtain("lock");

	private final CompletableFuture<String> work = new CompletableFuture<>();

	private StateStoreLockRegistry registry() {
		return new StateStoreLockRegistry(this.template, LockOptions.DEFAULT, this.time, Runnable::run,
				this.replies::add);
	}

	private CompletableFuture<String> start() throws Exception {
		return this.lock.executeAsync(WAIT, (held) -> this.work);
	}

	private void completeResults() {
		for (Runnable reply = this.replies.poll(); reply != null; reply = this.replies.poll()) {
			reply.run();
		}
	}

	private void assertHeld() {
		assertThat(this.elsewhere.tryLock()).isFalse();
	}

	private void assertFree() {
		assertThat(this.elsewhere.tryLock()).isTrue();
		this.elsewhere.unlock();
	}

	@Test
	void holdsLockUntilWorkCompletes() throws Exception {
		CompletableFuture<String> result = start();
		assertHeld();
		assertThat(this.lock.tryLock()).isFalse();
		assertThatExceptionOfType(TimeoutException.class)
			.isThrownBy(() -> this.lock.executeAsync(Duration.ZERO, (held) -> this.work));
		this.work.complete("done");
		assertFree();
		completeResults();
		assertThat(result).isCompletedWithValue("done");
	}

	@Test
	void canceledResultHoldsLockUntilWorkCompletes() throws Exception {
		CompletableFuture<String> result = start();
		assertThat(result.cancel(true)).isTrue();
		assertThat(this.work).isNotDone();
		completeResults();
		assertHeld();
		this.work.complete("done");
		assertFree();
		completeResults();
		assertThat(result).isCancelled();
	}

	@Test
	void canceledWorkReleasesLock() throws Exception {
		CompletableFuture<String> result = start();
		this.work.cancel(true);
		assertFree();
		completeResults();
		assertThat(result).isCancelled();
	}

	@Test
	void failedWorkReleasesLock() throws Exception {
		IllegalStateException failure = new IllegalStateException("test");
		CompletableFuture<String> result = start();
		this.work.completeExceptionally(failure);
		assertFree();
		completeResults();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(result::join).havingCause().isSameAs(failure);
	}

	@Test
	void failedCallbackReleasesLock() {
		IllegalStateException failure = new IllegalStateException("test");
		assertThatIllegalStateException().isThrownBy(() -> this.lock.executeAsync(WAIT, (held) -> {
			throw failure;
		})).isSameAs(failure);
		assertFree();
		assertThat(this.lock.tryLock()).isTrue();
		this.lock.unlock();
	}

	@Test
	void acceptsStageThatIsNoFuture() throws Exception {
		CompletableFuture<String> result = this.lock.executeAsync(WAIT, (held) -> this.work.minimalCompletionStage());
		assertHeld();
		this.work.complete("done");
		assertFree();
		completeResults();
		assertThat(result).isCompletedWithValue("done");
	}

	@Test
	void refusesAcquisitionWithinItsSection() throws Exception {
		FencedLock same = this.registry.obtain("lock", Duration.ofMinutes(1));
		FencedLock inner = this.registry.obtain("inner");
		this.lock.executeAsync(WAIT, (held) -> {
			assertRefused(same::tryLock);
			assertRefused(() -> same.executeAsync(Duration.ZERO, (nested) -> this.work));
			assertRefused(same::lock);
			assertRefused(() -> same.execute(WAIT, (nested) -> true));
			try {
				inner.execute((other) -> {
					assertRefused(() -> same.executeAsync(Duration.ZERO, (nested) -> this.work));
					return true;
				});
			}
			catch (InterruptedException ex) {
				throw new AssertionError(ex);
			}
			return this.work;
		});
		// The section no longer runs on this thread, although it holds the lock.
		assertThat(this.lock.tryLock()).isFalse();
		this.work.complete("done");
		assertThat(this.lock.tryLock()).isTrue();
		this.lock.unlock();
	}

	private static void assertRefused(ThrowingRunnable acquisition) {
		assertThatIllegalStateException().isThrownBy(acquisition::run)
			.withMessageContainingAll("Lock 'lock' is already held by a section that this thread runs",
					"Use the tenure of that section");
	}

	@Test
	void refusesSectionOfThreadThatHoldsLock() {
		this.lock.lock();
		assertThatIllegalStateException().isThrownBy(this::start).withMessageContaining("already held by this thread");
		this.lock.unlock();
	}

	@Test
	void lossFailsResultAtEndOfWork() throws Exception {
		FencedLock limited = this.lock.withMaxHold(Duration.ofSeconds(1));
		CompletableFuture<String> result = limited.executeAsync(WAIT, (held) -> this.work);
		this.time.pass(Duration.ofSeconds(1));
		completeResults();
		assertThat(result).isNotDone();
		this.work.complete("done");
		completeResults();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(result::join)
			.withCauseInstanceOf(LockLostException.class)
			.withMessageContaining(Reason.HOLD_ENDED.toString());
	}

	@Test
	void holderNamesLeader() throws Exception {
		this.lock.markLeader();
		start();
		assertThat(this.lock.holder()).hasValueSatisfying((holder) -> assertThat(holder).contains("/leader"));
	}

	@Test
	void stoppedRegistryRefusesSection() {
		this.registry.stop();
		assertThatIllegalStateException().isThrownBy(this::start).withMessageContaining("is stopped");
	}

	@Test
	void longerMaxHoldRestoresLease() {
		FencedLock limited = this.lock.withMaxHold(Duration.ofMillis(100)).withMaxHold(Duration.ofHours(1));
		limited.lock();
		assertThat(limited.remaining()).isGreaterThan(Duration.ofSeconds(20));
		limited.unlock();
	}

	/** Action that may throw. */
	private interface ThrowingRunnable {

		void run() throws Exception;

	}

}
