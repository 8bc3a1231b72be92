package io.statestore.client.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.statestore.client.lock.LockLoss.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Sections under a lock on a store on a real socket: the current tenure, asynchronous
 * sections, and the maximum hold.
 */
@Timeout(120)
class LockSectionTests extends FencedLockFixture {

	@Test
	void currentTenureIsThatOfInnermostSection() throws Exception {
		FencedLock inner = this.registry.obtain("inner");
		assertNoCurrentTenure();
		this.lock.execute((outer) -> {
			assertThat(this.registry.currentTenure()).isSameAs(outer);
			inner.execute((tenure) -> {
				assertThat(this.registry.currentTenure()).isSameAs(tenure).isNotSameAs(outer);
				return true;
			});
			assertThat(this.registry.currentTenure()).isSameAs(outer);
			LockFixture.async(() -> {
				assertNoCurrentTenure();
				return true;
			}).join();
			return true;
		});
		assertNoCurrentTenure();
		Tenure executed = this.registry.executeLocked("lock", this.registry::currentTenure);
		assertThat(executed.key()).isEqualTo(this.lock.key());
		assertNoCurrentTenure();
	}

	private void assertNoCurrentTenure() {
		assertThatIllegalStateException().isThrownBy(this.registry::currentTenure).withMessageContaining("@Locked");
	}

	@Test
	void holdsLockUntilFutureCompletes() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.lock.executeAsync(LONG, (tenure) -> {
			assertThat(this.registry.currentTenure()).isSameAs(tenure);
			assertThat(tenure.operations().set("data", "written").applied()).isTrue();
			return work;
		});
		assertNoCurrentTenure();
		assertThat(this.elsewhere.tryLock()).isFalse();
		assertThat(this.lock.tryLock()).isFalse();
		assertThatExceptionOfType(TimeoutException.class)
			.isThrownBy(() -> this.lock.executeAsync(Duration.ZERO, (tenure) -> work));
		assertThat(result).isNotDone();
		work.complete("done");
		assertThat(result.join()).isEqualTo("done");
		assertThat(this.elsewhere.tryLock()).isTrue();
		this.elsewhere.unlock();
	}

	@Test
	void failureOfWorkReleasesLock() throws Exception {
		IllegalStateException failure = new IllegalStateException("test");
		CompletableFuture<String> result = this.lock.executeAsync(LONG,
				(tenure) -> CompletableFuture.failedFuture(failure));
		assertThatExceptionOfType(CompletionException.class).isThrownBy(result::join).havingCause().isSameAs(failure);
		assertThatIllegalStateException().isThrownBy(() -> this.lock.executeAsync(LONG, (tenure) -> {
			throw failure;
		})).isSameAs(failure);
		await("the release").until(this.elsewhere::tryLock);
		this.elsewhere.unlock();
	}

	@Test
	void cancelsWorkOfCanceledResult() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		this.lock.executeAsync(LONG, (tenure) -> work).cancel(true);
		assertThat(work).isCancelled();
		await("the release").until(this.elsewhere::tryLock);
		this.elsewhere.unlock();
	}

	@Test
	void lossDuringWorkFailsResult() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<LockLoss> loss = new CompletableFuture<>();
		this.lock.addLossListener(loss::complete);
		CompletableFuture<String> result = this.lock.executeAsync(LONG, (tenure) -> {
			tenure.watch();
			return work;
		});
		breakLock();
		assertThat(loss.join().reason()).isEqualTo(Reason.DELETED);
		assertThat(result).isNotDone();
		work.complete("done");
		assertThatExceptionOfType(CompletionException.class).isThrownBy(result::join)
			.withCauseInstanceOf(LockLostException.class);
	}

	@Test
	void refusesAsyncSectionOfThreadThatHoldsLock() {
		this.lock.lock();
		assertThatIllegalStateException()
			.isThrownBy(() -> this.lock.executeAsync(LONG, (tenure) -> new CompletableFuture<>()))
			.withMessageContaining("already held by this thread");
		this.lock.unlock();
	}

	@Test
	void maxHoldEndsLockOfLivingHolder() throws Exception {
		FencedLock limited = this.lock.withMaxHold(Duration.ofMillis(500));
		CompletableFuture<LockLoss> loss = new CompletableFuture<>();
		limited.addLossListener(loss::complete);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> limited.execute((tenure) -> {
			assertThat(loss.join().reason()).isEqualTo(Reason.HOLD_ENDED);
			// The holder still runs, and another process gets the lock.
			assertThat(this.elsewhere.tryLock(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> tenure.operations().set("data", "stale"));
			this.elsewhere.unlock();
			return true;
		})).withMessageContaining("its maximum hold was over");
		assertThat(this.lock.withMaxHold(LONG).tryLock()).isTrue();
		assertThat(this.lock.isHeldByCurrentThread()).isTrue();
		this.lock.unlock();
	}

	@Test
	void refusesMaxHoldOutOfRange() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.lock.withMaxHold(Duration.ofMillis(99)))
			.withMessageContaining("'maxHold' must be 100 ms to 365 days, but is PT0.099S");
		assertThatIllegalArgumentException().isThrownBy(() -> this.lock.withMaxHold(Duration.ofDays(366)));
	}

}
