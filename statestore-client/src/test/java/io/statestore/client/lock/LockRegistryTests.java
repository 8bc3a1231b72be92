package io.statestore.client.lock;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.client.CommandInvoker;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Acquisitions and stop of a registry, without a network. */
@Timeout(60)
class LockRegistryTests {

	private final ScriptedStore time = new ScriptedStore();

	private final CompletableFuture<Response> set = new CompletableFuture<>();

	private final CompletableFuture<Response> deletion = new CompletableFuture<>();

	private final AtomicLong setTimeout = new AtomicLong();

	private volatile boolean deletionSent;

	/** Value of the lock that an operator reads. */
	private Bytes stored = Bytes.of("earlier/" + new UUID(0, 0) + "/1");

	private CompletableFuture<Response> send(Command command, CommandInvoker.Options options) {
		if (command instanceof Command.Set) {
			Duration timeout = options.timeout();
			assertThat(timeout).isNotNull();
			this.setTimeout.set(timeout.toMillis());
			return this.set;
		}
		if (command instanceof Command.Get) {
			return CompletableFuture
				.completedFuture(new Response(new Reply.Value(this.stored), ScriptedStore.version(1)));
		}
		assertThat(command).isInstanceOf(Command.VDel.class);
		this.deletionSent = true;
		return this.deletion;
	}

	private StateStoreLockRegistry registry(LockTime time) {
		return new StateStoreLockRegistry(new StateStoreTemplate(this::send), LockOptions.DEFAULT, time, Runnable::run);
	}

	@Test
	void stopWaitsUntilConcurrentGrantIsReleased() {
		StateStoreLockRegistry registry = registry(this.time);
		Acquisition acquisition = registry.acquisition(ScriptedStore.LOCK, ScriptedStore.TERMS,
				WaitLimit.of(this.time, WaitLimit.FOREVER), false);
		registry.track(acquisition);
		acquisition.start()
			.whenComplete(
					(lease, failure) -> this.set.complete(new Response(new Reply.Ok(), ScriptedStore.version(1))));
		CompletableFuture.runAsync(() -> {
			await("a deletion").until(() -> this.deletionSent);
			this.deletion.complete(new Response(new Reply.Count(1), ScriptedStore.version(2)));
		});
		registry.stop();
		assertThat(acquisition.result()).isCompletedExceptionally();
		assertThat(this.deletion).isDone();
	}

	private HeldLock acquire(StateStoreLockRegistry registry) {
		this.set.complete(new Response(new Reply.Ok(), ScriptedStore.version(1)));
		FencedLock lock = registry.obtain(ScriptedStore.LOCK);
		lock.lock();
		return lock.heldLock();
	}

	@Test
	void forcedReleaseKeepsLockAcquiredMeanwhile() {
		StateStoreLockRegistry registry = registry(this.time);
		HeldLock held = acquire(registry);
		this.deletion.complete(new Response(Reply.Count.NOT_APPLIED, ScriptedStore.version(2)));
		assertThat(registry.forceRelease(ScriptedStore.LOCK)).isEmpty();
		assertThat(held.isValid()).isTrue();
	}

	@Test
	void forcedReleaseReportsHolderIfCleanupDeletesFirst() {
		StateStoreLockRegistry registry = registry(this.time);
		HeldLock held = acquire(registry);
		this.stored = Bytes.of(held.holder());
		this.deletion.complete(new Response(new Reply.Count(0), ScriptedStore.version(2)));
		assertThat(registry.forceRelease(ScriptedStore.LOCK)).contains(held.holder());
		assertThat(held.isValid()).isFalse();
	}

	@Test
	void forcedReleaseReportsDeletedHolderInOtherProcess() {
		this.deletion.complete(new Response(new Reply.Count(1), ScriptedStore.version(2)));
		assertThat(registry(this.time).forceRelease(ScriptedStore.LOCK)).contains(this.stored.toUtf8());
	}

	@Test
	void localWaitShortensWaitForStore() throws Exception {
		AtomicLong now = new AtomicLong();
		FencedLock lock = registry(new LockTime() {

			@Override
			public long nanoTime() {
				return now.addAndGet(TimeUnit.SECONDS.toNanos(2));
			}

			@Override
			public Runnable schedule(Duration delay, Runnable task) {
				return LockRegistryTests.this.time.schedule(delay, task);
			}

			@Override
			public double random() {
				return 0;
			}

		}).obtain(ScriptedStore.LOCK);
		this.set.complete(new Response(Reply.Count.NOT_APPLIED, ScriptedStore.version(1)));
		assertThat(lock.tryLock(500, TimeUnit.MILLISECONDS)).isFalse();
		assertThat(this.setTimeout).hasValue(1000);
	}

}
