package io.statestore.client.lock;

import java.time.Duration;
import java.time.Instant;

import io.statestore.client.InMemoryStateStore;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Command;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** ShedLock locks with and without keep-alive, in virtual time. */
class KeepAliveTests {

	private static final Duration AT_MOST_FOR = Duration.ofSeconds(30);

	private final ScriptedStore time = new ScriptedStore();

	private final InMemoryStateStore store = new InMemoryStateStore();

	private int writes;

	private final StateStoreLockRegistry registry = new StateStoreLockRegistry(
			new StateStoreTemplate((command, options) -> {
				this.writes += (command instanceof Command.Set) ? 1 : 0;
				return this.store.invoke(command, options);
			}), LockOptions.DEFAULT, this.time, Runnable::run);

	private final StateStoreLockProvider provider = new StateStoreLockProvider(this.registry);

	private static LockConfiguration lasting(Duration atMostFor) {
		return new LockConfiguration(Instant.now(), "task", atMostFor, Duration.ZERO);
	}

	private void pass(int seconds) {
		for (int i = 0; i < seconds; i++) {
			this.time.pass(Duration.ofSeconds(1));
		}
	}

	@Test
	void endsAfterLockAtMostForWithoutKeepAlive() {
		SimpleLock lock = this.provider.lock(lasting(AT_MOST_FOR)).orElseThrow();
		pass(29);
		assertThat(this.registry.heldLocks().get(0).remaining()).isPositive();
		pass(1);
		assertThat(this.registry.heldLocks()).isEmpty();
		assertThat(lock.extend(AT_MOST_FOR, Duration.ZERO)).isEmpty();
		assertThat(this.writes).isOne();
	}

	@Test
	void keepAliveHoldsLockWhileTaskRuns() {
		SimpleLock lock = this.provider.withKeepAlive().lock(lasting(AT_MOST_FOR)).orElseThrow();
		pass(120);
		assertThat(this.registry.heldLocks().get(0).remaining()).isGreaterThan(Duration.ofSeconds(19));
		// Every third of lockAtMostFor.
		assertThat(this.writes).isEqualTo(13);
		assertThat(this.provider.withKeepAlive().lock(lasting(AT_MOST_FOR))).isEmpty();
		lock.unlock();
		assertThat(this.registry.heldLocks()).isEmpty();
		pass(60);
		this.provider.lock(lasting(AT_MOST_FOR)).orElseThrow().unlock();
	}

	@Test
	void extensionChangesKeptAliveLease() {
		SimpleLock lock = this.provider.withKeepAlive()
			.lock(lasting(AT_MOST_FOR))
			.orElseThrow()
			.extend(Duration.ofSeconds(3), Duration.ZERO)
			.orElseThrow();
		pass(60);
		assertThat(this.registry.heldLocks().get(0).remaining()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(3));
		lock.unlock();
	}

	@Test
	void refusesShortLockAtMostForWithKeepAlive() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.provider.withKeepAlive().lock(lasting(Duration.ofMillis(99))))
			.withMessageContaining("'lockAtMostFor' must be 100 ms to 365 days, but is PT0.099S");
	}

}
