package io.statestore.client.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.client.CommandInvoker;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Acquisitions and stop of a registry, without a network. */
@Timeout(60)
class LockContextTests {

	private final ScriptedStore time = new ScriptedStore();

	private final CompletableFuture<Response> set = new CompletableFuture<>();

	private final CompletableFuture<Response> deletion = new CompletableFuture<>();

	private final AtomicLong setTimeout = new AtomicLong();

	private volatile boolean deletionSent;

	private CompletableFuture<Response> send(Command command, CommandInvoker.Options options) {
		if (command instanceof Command.Set) {
			Duration timeout = options.timeout();
			assertThat(timeout).isNotNull();
			this.setTimeout.set(timeout.toMillis());
			return this.set;
		}
		assertThat(command).isInstanceOf(Command.VDel.class);
		this.deletionSent = true;
		return this.deletion;
	}

	private LockContext context(LockTime time) {
		return new LockContext(new StateStoreTemplate(this::send), LockOptions.DEFAULT, time, Runnable::run);
	}

	@Test
	void stopWaitsForReleaseOfConcurrentGrant() {
		LockContext context = context(this.time);
		Acquisition acquisition = context.acquisition(ScriptedStore.LOCK, ScriptedStore.TERMS,
				WaitLimit.of(this.time, WaitLimit.FOREVER));
		acquisition.start()
			.whenComplete(
					(lease, failure) -> this.set.complete(new Response(new Reply.Ok(), ScriptedStore.version(1))));
		CompletableFuture.runAsync(() -> {
			await("a deletion").until(() -> this.deletionSent);
			this.deletion.complete(new Response(new Reply.Count(1), ScriptedStore.version(2)));
		});
		context.lifecycle().stop(() -> {
		});
		assertThat(acquisition.result()).isCompletedExceptionally();
		assertThat(this.deletion).isDone();
	}

	@Test
	void localWaitShortensWaitForStore() throws Exception {
		AtomicLong now = new AtomicLong();
		KeyLock lock = new KeyLock(ScriptedStore.LOCK, context(new LockTime() {

			@Override
			public long nanoTime() {
				return now.addAndGet(TimeUnit.SECONDS.toNanos(2));
			}

			@Override
			public Runnable schedule(Duration delay, Runnable task) {
				return LockContextTests.this.time.schedule(delay, task);
			}

			@Override
			public double random() {
				return 0;
			}

		}));
		this.set.complete(new Response(Reply.Count.NOT_APPLIED, ScriptedStore.version(1)));
		assertThat(lock.tryLock(TimeUnit.MILLISECONDS.toNanos(500), LockOptions.DEFAULT.lease())).isFalse();
		assertThat(this.setTimeout).hasValue(1000);
	}

}
