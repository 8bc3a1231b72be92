package io.statestore.client.watch;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.statestore.client.ClientResources;
import io.statestore.client.CommandInvoker;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.Key;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch.State;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.observability.StateStoreObservability;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Threads that call listeners and executors of the application after a delay. */
@Timeout(60)
class WatchThreadTests {

	private final ClientResources resources = new ClientResources();

	private @Nullable KeyWatches watches;

	@AfterEach
	void close() {
		if (this.watches != null) {
			this.watches.close();
		}
		this.resources.close();
	}

	private void watch(CommandInvoker invoker, Executor executor, Consumer<State> stateListener) {
		KeyWatches watches = new KeyWatches(new ConnectedSource(), invoker,
				WatchOptions.DEFAULT.withRetryDelay(Duration.ofMillis(10), Duration.ofMillis(10)), executor,
				StateStoreObservability.NONE, this.resources);
		this.watches = watches;
		watches.watch(Key.of("key"), new Settings("test", "test", false, false, Set.of(Operation.values()), null, false,
				false, stateListener), (change) -> {
				});
	}

	@Test
	void callsStateListenerOnReplyThreadAfterRetry() throws Exception {
		AtomicInteger calls = new AtomicInteger();
		CompletableFuture<String> thread = new CompletableFuture<>();
		watch((command, options) -> CompletableFuture
			.failedFuture((calls.incrementAndGet() == 1) ? new StateStoreException("expected")
					: StateStoreRefusedException.of(ErrorReason.NOT_AUTHORIZED, "expected")),
				Runnable::run, (state) -> thread.complete(Thread.currentThread().getName()));
		assertThat(thread.get(30, TimeUnit.SECONDS)).startsWith("statestore-reply-");
	}

	@Test
	void retriesExecutorOnReplyThread() throws Exception {
		AtomicInteger attempts = new AtomicInteger();
		CompletableFuture<String> thread = new CompletableFuture<>();
		watch((command, options) -> CompletableFuture.completedFuture(
				new Response((command instanceof Command.Get) ? new Reply.Missing() : new Reply.Ok(), null)),
				(task) -> {
					if (attempts.incrementAndGet() == 1) {
						throw new RejectedExecutionException("expected");
					}
					thread.complete(Thread.currentThread().getName());
				}, (state) -> {
				});
		assertThat(thread.get(30, TimeUnit.SECONDS)).startsWith("statestore-reply-");
	}

	private static final class ConnectedSource implements NotificationSource {

		@Override
		public void open(Handler handler) {
			handler.connected();
		}

		@Override
		public void close() {
		}

		@Override
		public boolean isWatchable(Bytes key) {
			return true;
		}

	}

}
