package io.statestore.client.lock;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.statestore.client.lock.LockLostEvent.Reason;
import io.statestore.client.watch.TestClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Sections under a lock on a store on a real socket: the current tenure, sections on
 * other threads, and the maximum hold. Each test has a lock of its own.
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
	void currentLockBelongsToInnermostSection() throws Exception {
		FencedLock inner = registry.obtain(this.name + "/inner");
		assertNoCurrentLock();
		this.lock.execute((outer) -> {
			assertThat(registry.currentLock()).isSameAs(outer);
			inner.execute((held) -> {
				assertThat(registry.currentLock()).isSameAs(held).isNotSameAs(outer);
				return true;
			});
			assertThat(registry.currentLock()).isSameAs(outer);
			LockFixture.async(() -> {
				assertNoCurrentLock();
				return true;
			}).join();
			return true;
		});
		assertNoCurrentLock();
		HeldLock executed = registry.executeLocked(this.name, registry::currentLock);
		assertThat(executed.key()).isEqualTo(this.lock.key());
		assertNoCurrentLock();
	}

	private void assertNoCurrentLock() {
		assertThatIllegalStateException().isThrownBy(registry::currentLock).withMessageContaining("@Locked");
	}

	@Test
	void refusesAcquisitionWithinOtherThreadsSection() throws Exception {
		this.lock.execute((held) -> LockFixture.async(() -> held
			.call(() -> assertThatIllegalStateException().isThrownBy(() -> registry.obtain(this.name, LONG).tryLock())
				.withMessageContainingAll("already held by a section that this thread runs",
						"Use the tenure of that section")))
			.join());
	}

	@Test
	void holderNamesLeader() throws Exception {
		this.lock.markLeader();
		this.lock.execute((held) -> assertThat(this.lock.holder())
			.hasValueSatisfying((holder) -> assertThat(holder).contains("/leader")));
	}

	@Test
	void longerMaxHoldRestoresLease() {
		FencedLock limited = this.lock.withMaxHold(Duration.ofMillis(100)).withMaxHold(Duration.ofHours(1));
		limited.lock();
		assertThat(limited.remaining()).isGreaterThan(Duration.ofMillis(100));
		limited.unlock();
	}

	@Test
	void maxHoldEndsLockOfLivingHolder() throws Exception {
		FencedLock limited = this.lock.withMaxHold(Duration.ofMillis(500));
		CompletableFuture<LockLostEvent> loss = new CompletableFuture<>();
		limited.addLossListener(loss::complete);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> limited.execute((held) -> {
			assertThat(loss.join().reason()).isEqualTo(Reason.HOLD_ENDED);
			// The holder still runs, and another process gets the lock.
			assertThat(this.elsewhere.tryLock(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> held.operations().set(this.name + "/data", "stale"));
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
