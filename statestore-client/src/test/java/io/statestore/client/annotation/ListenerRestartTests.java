package io.statestore.client.annotation;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.client.CommandInvoker;
import io.statestore.client.Key;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.KeyWatch;
import io.statestore.client.KeyWatcher;
import io.statestore.client.StateStoreTemplate;
import io.statestore.listener.Completion;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/** Restarts of a listener at the moment at which its last call ends. */
@Timeout(60)
class ListenerRestartTests {

	private static final int RESTARTS = 2000;

	/** Number of watches so far. */
	private final AtomicInteger watches = new AtomicInteger();

	private final StateStoreTemplate template = new StateStoreTemplate((command, options) -> new CompletableFuture<>(),
			null, new Watcher());

	private volatile CompletableFuture<Void> lastCall = new CompletableFuture<>();

	/** Call that the other thread is to end, {@code null} if there is none. */
	private volatile @Nullable CompletableFuture<Void> ending;

	/** Delay of the end, which differs for each restart. */
	private volatile int delay;

	/** Whether keys can no longer be watched. */
	private volatile boolean closed;

	private final StateStoreListenerEndpoint endpoint = new StateStoreListenerEndpoint("it", List.of(Key.of("key")),
			List.of(), Bytes.class,
			new StateStoreListenerEndpoint.Options(Set.of(Operation.SET), false, false, null, true), (change) -> {
			}, null);

	private final Thread caller = new Thread(this::endCalls);

	@BeforeEach
	void startCaller() {
		this.caller.start();
	}

	@AfterEach
	void stopCaller() throws InterruptedException {
		this.caller.interrupt();
		this.caller.join();
	}

	@Test
	void watchesKeyAgainIfLastCallEndsDuringRestart() {
		for (int i = 0; i < RESTARTS; i++) {
			CompletableFuture<Void> call = stopDuringCall();
			int before = this.watches.get();
			this.delay = i % 64;
			this.ending = call;
			start();
			awaitEnd();
			assertThat(this.watches).as("restart %s", i).hasValue(before + 1);
			this.endpoint.stop(() -> false);
		}
	}

	@Test
	void reportsFailureIfLastCallEndsDuringRestart() {
		for (int i = 0; i < RESTARTS; i++) {
			CompletableFuture<Void> call = stopDuringCall();
			this.closed = true;
			this.delay = i % 64;
			this.ending = call;
			assertThatException().as("restart %s", i).isThrownBy(() -> start().await(() -> Duration.ofSeconds(10)));
			awaitEnd();
			this.endpoint.stop(() -> false);
			this.closed = false;
		}
	}

	private Completion start() {
		return this.endpoint.start(() -> this.template, () -> true);
	}

	/** Starts and stops the listener, and returns a call that has not ended. */
	private CompletableFuture<Void> stopDuringCall() {
		start();
		CompletableFuture<Void> call = new CompletableFuture<>();
		this.lastCall = call;
		this.endpoint.stop(() -> false);
		return call;
	}

	private void awaitEnd() {
		while (this.ending != null) {
			Thread.onSpinWait();
		}
	}

	private void endCalls() {
		while (!Thread.currentThread().isInterrupted()) {
			CompletableFuture<Void> call = this.ending;
			if (call != null) {
				while (this.delay > 0) {
					this.delay--;
				}
				call.complete(null);
				this.ending = null;
			}
		}
	}

	private final class Watcher implements KeyWatcher {

		@Override
		public KeyWatch watch(Key key, Settings settings, KeyChangeListener<Bytes> listener) {
			if (ListenerRestartTests.this.closed) {
				throw new IllegalStateException("closed");
			}
			ListenerRestartTests.this.watches.incrementAndGet();
			return new Watch(key);
		}

		@Override
		public CommandInvoker tracking(CommandInvoker invoker) {
			return invoker;
		}

	}

	/** Active watch whose end waits for the last call. */
	private final class Watch implements KeyWatch {

		private final Key key;

		Watch(Key key) {
			this.key = key;
		}

		@Override
		public Key key() {
			return this.key;
		}

		@Override
		public CompletableFuture<Void> started() {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public boolean awaitStarted(Duration timeout) {
			return true;
		}

		@Override
		public boolean isActive() {
			return true;
		}

		@Override
		public CompletableFuture<Void> closeAsync() {
			return ListenerRestartTests.this.lastCall;
		}

	}

}
