package io.statestore.client.lock;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import io.statestore.client.lock.LockLoss.Reason;
import io.statestore.client.watch.TestClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Sections under a lock on a store on a real socket: the current tenure, asynchronous
 * sections, and the maximum hold. Each test has a lock of its own.
 */
@Timeout(120)
class LockSectionTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final LockFixture fixture = new LockFixture();

	private static final TestClient client = fixture.client();

	private static final TestClient other = fixture.client();

	private static final StateStoreLockRegistry registry = fixture.registry(client, LockFixture.OPTIONS);

	private static final StateStoreLockRegistry otherRegistry = fixture.registry(other, LockFixture.OPTIONS);

	private final String name = UUID.randomUUID().toString();

	private final FencedLock lock = registry.obtain(this.name);

	private final FencedLock elsewhere = otherRegistry.obtain(this.name);

	@AfterAll
	static void stop() throws Exception {
		fixture.close();
	}

	@Test
	void currentTenureIsThatOfInnermostSection() throws Exception {
		FencedLock inner = registry.obtain(this.name + "/inner");
		assertNoCurrentTenure();
		this.lock.execute((outer) -> {
			assertThat(registry.currentTenure()).isSameAs(outer);
			inner.execute((tenure) -> {
				assertThat(registry.currentTenure()).isSameAs(tenure).isNotSameAs(outer);
				return true;
			});
			assertThat(registry.currentTenure()).isSameAs(outer);
			LockFixture.async(() -> {
				assertNoCurrentTenure();
				return true;
			}).join();
			return true;
		});
		assertNoCurrentTenure();
		Tenure executed = registry.executeLocked(this.name, registry::currentTenure);
		assertThat(executed.key()).isEqualTo(this.lock.key());
		assertNoCurrentTenure();
	}

	private void assertNoCurrentTenure() {
		assertThatIllegalStateException().isThrownBy(registry::currentTenure).withMessageContaining("@Locked");
	}

	@Test
	void holdsLockUntilFutureCompletes() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.lock.executeAsync(LONG, (tenure) -> {
			assertThat(registry.currentTenure()).isSameAs(tenure);
			assertThat(tenure.operations().set(this.name + "/data", "written").applied()).isTrue();
			return work;
		});
		// Loss listeners have threads of their own, which continuations do not occupy.
		CompletableFuture<String> thread = result.thenApply((value) -> Thread.currentThread().getName());
		assertNoCurrentTenure();
		assertThat(this.elsewhere.holder()).isPresent();
		assertThat(result).isNotDone();
		work.complete("done");
		// First, because waiting for the result itself could call the continuation.
		assertThat(thread.join()).startsWith("statestore-reply-");
		assertThat(result.join()).isEqualTo("done");
		assertThat(this.elsewhere.tryLock(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
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
		await("a watch by the holder").until(() -> client.watches.isActive(this.lock.key()));
		other.template.delete(this.name);
		assertThat(loss.join().reason()).isEqualTo(Reason.DELETED);
		assertThat(result).isNotDone();
		work.complete("done");
		assertThatExceptionOfType(CompletionException.class).isThrownBy(result::join)
			.withCauseInstanceOf(LockLostException.class);
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
				.isThrownBy(() -> tenure.operations().set(this.name + "/data", "stale"));
			this.elsewhere.unlock();
			return true;
		})).withMessageContaining("its maximum hold was over");
		assertThat(this.lock.withMaxHold(LONG).tryLock(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
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
