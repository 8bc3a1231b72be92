package io.statestore.client.lock;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Exclusion, reentrancy, and use of locks on a store on a real socket. */
@Timeout(120)
class FencedLockTests extends FencedLockFixture {

	@Test
	void admitsOneHolderWithGrowingTokens() {
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
	void otherThreadNeitherAcquiresNorReleases() throws Exception {
		this.lock.lock();
		assertThat(LockFixture.async(this.lock::tryLock).get()).isFalse();
		assertThat(LockFixture.async(() -> this.lock.tryLock(1, TimeUnit.MILLISECONDS)).get()).isFalse();
		LockFixture.async(() -> {
			assertThat(this.lock.isHeldByCurrentThread()).isFalse();
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock)
				.withMessageContaining("lock' is not held by this thread");
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
	void sameThreadReenters() throws Exception {
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
	void executesCallbackWhileHeld() throws Exception {
		String result = this.lock.execute((held) -> {
			assertThat(this.elsewhere.tryLock()).isFalse();
			assertThat(held.update("counter", Integer.class, (value) -> Optional.of(value.orElse(0) + 1))).contains(1);
			assertThat(held.update("counter", Integer.class, (value) -> Optional.of(value.orElse(0) + 1))).contains(2);
			assertThat(held.update("counter", Integer.class, (value) -> Optional.empty())).isEmpty();
			assertThat(held.update("counter", Integer.class, (value) -> Optional.empty())).isEmpty();
			return "done";
		});
		assertThat(result).isEqualTo("done");
		String second = this.lock.execute(Duration.ZERO, (held) -> {
			assertThatExceptionOfType(TimeoutException.class)
				.isThrownBy(() -> this.elsewhere.execute(Duration.ofMillis(50), (unused) -> "never"))
				.withMessageContaining("lock' was not acquired within PT0.05S");
			return "done again";
		});
		assertThat(second).isEqualTo("done again");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.lock.execute((held) -> {
			throw new IOException("of the callback");
		})).withMessage("of the callback");
		assertThat(this.elsewhere.tryLock()).isTrue();
		this.elsewhere.unlock();
	}

	@Test
	void tenureEndsWithRelease() {
		this.lock.lock();
		HeldLock held = this.lock.heldLock();
		this.lock.unlock();
		this.lock.lock();
		assertThat(held.isValid()).isFalse();
		assertThat(held.loss()).isEmpty();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> held.operations().set("key", "value"))
			.withMessageContaining("it was released");
		assertThat(this.lock.isValid()).isTrue();
		this.lock.unlock();
	}

	@Test
	void showsHolder() {
		FencedLock lock = registry(this.client, LockOptions.DEFAULT.withHolderName("press-1").withKeyPrefix("locks/"))
			.obtain("lock");
		assertThat(lock.key()).isEqualTo(Key.of(this.prefix + "locks/lock"));
		assertThat(lock.holder()).isEmpty();
		lock.lock();
		assertThat(lock.holder().orElseThrow()).startsWith("press-1/");
		assertThat(lock).asString().contains("held").contains(lock.token().toString());
		lock.unlock();
	}

	@Test
	void refusesInvalidArguments() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtain(4)).withMessageContaining("lockKey");
		assertThatIllegalArgumentException().isThrownBy(() -> this.lock.lock(Duration.ofMillis(1)))
			.withMessageContaining("'ttl' must be 100 ms to 24 h");
		assertThatIllegalArgumentException().isThrownBy(() -> LockOptions.DEFAULT.withLease(Duration.ofDays(2)))
			.withMessageContaining("'lease'");
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.lock::newCondition);
	}

	@Test
	void excludesThreadsInTwoProcesses() throws Exception {
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
