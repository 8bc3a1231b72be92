package io.statestore.client.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.Key;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.watch.TestClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/** Successor locks beside keys of applications. */
@Timeout(60)
class SuccessorLockTests {

	private static final Key SUCCESSOR = Key.of("orders\u0000successor");

	private final LockFixture locks = new LockFixture();

	private final StateStoreLockRegistry registry = this.locks.registry();

	private final FencedLock lock = this.registry.obtain("orders");

	private final TestClient waiter = this.locks.client();

	private final FencedLock awaited = this.locks.registry(this.waiter, LockFixture.OPTIONS).obtain("orders");

	@AfterEach
	void close() throws Exception {
		this.locks.close();
	}

	private CompletableFuture<Long> waiting() {
		return LockFixture.async(() -> {
			this.awaited.lock();
			long servedAt = System.nanoTime();
			this.awaited.unlock();
			return servedAt;
		});
	}

	private void awaitSuccessor() {
		await("a successor").until(() -> this.waiter.template.get(SUCCESSOR, String.class).isPresent());
	}

	@Test
	void leavesUserKeysUntouched() {
		this.lock.lock();
		CompletableFuture<Long> waiting = waiting();
		await("a watch").until(() -> this.waiter.watches.isActive(this.lock.key()));
		FencedLock similar = this.registry.obtain("orders/next");
		assertThat(similar.tryLock()).isTrue();
		similar.unlock();
		this.lock.unlock();
		assertThat(waiting).succeedsWithin(Duration.ofSeconds(20));
	}

	@Test
	void refusesSuccessorKeyAsLock() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtain("orders\u0000successor"))
			.withMessageContaining("Choose another key");
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtain(SUCCESSOR));
	}

	@Tag("long")
	@Test
	void servesWaiterIfKeyIsNeverReleased() throws Exception {
		this.waiter.template.set(SUCCESSOR, "foreign");
		assertServedSoon();
	}

	@Test
	void servesWaiterIfKeyIsFenced() throws Exception {
		StateStoreTemplate template = this.waiter.template;
		FencedLock guard = this.registry.obtain("guard");
		guard.lock();
		guard.operations().set(SUCCESSOR, "foreign");
		template.fencedBy(guard.token()).set(SUCCESSOR, "foreign");
		guard.unlock();
		assertServedSoon();
	}

	private void assertServedSoon() throws Exception {
		this.lock.lock();
		int before = this.waiter.commands.size();
		CompletableFuture<Long> waiting = waiting();
		await("two requests").until(() -> this.waiter.commands.size() > before + 1);
		long releasedAt = System.nanoTime();
		this.lock.unlock();
		assertThat(Duration.ofNanos(waiting.get() - releasedAt)).isLessThan(Duration.ofSeconds(9));
	}

	@Test
	void deadSuccessorDelaysWaitersBriefly() throws Exception {
		this.lock.lock();
		waiting();
		awaitSuccessor();
		this.waiter.connection.stop();
		FencedLock next = this.locks.registry().obtain("orders");
		CompletableFuture<Long> served = LockFixture.async(() -> {
			next.lock();
			return System.nanoTime();
		});
		long releasedAt = System.nanoTime();
		this.lock.unlock();
		assertThat(Duration.ofNanos(served.get() - releasedAt)).isLessThan(Duration.ofSeconds(6));
	}

}
