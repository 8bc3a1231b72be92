package io.statestore.client.watch;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.time.TimeSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class KeyWatchesCloseTests extends KeyWatchesFixture {

	@Test
	void watchesNothingAfterClose() {
		this.store.connect();
		KeyWatch watch = watch();
		this.time.pass(1000);
		this.watches.close();
		this.time.pass(1000);
		assertThat(watch.isActive()).isFalse();
		assertThat(this.watches.watchedKeys()).isZero();
		assertThatIllegalStateException().isThrownBy(this::watch).withMessageContaining("closed");
	}

	@Test
	void refusesToWatchDuringClose() {
		AtomicInteger closes = new AtomicInteger();
		KeyWatches[] watches = new KeyWatches[1];
		watches[0] = watches(new NotificationSource() {

			@Override
			public void open(Handler handler) {
				watches[0].close();
				handler.connected();
			}

			@Override
			public void close() {
				closes.incrementAndGet();
			}

			@Override
			public boolean isWatchable(Bytes key) {
				return true;
			}

		}, Runnable::run);
		this.store.connect();
		assertThatIllegalStateException().isThrownBy(() -> watch(watches[0])).withMessageContaining("closed");
		this.time.pass(1000);
		assertThat(watches[0].watchedKeys()).isZero();
		// Closed once more, because the source was being opened.
		assertThat(closes).hasValue(2);
	}

	@Test
	@Timeout(60)
	void leavesNoKeysWhenWatchingDuringClose() throws Exception {
		ExecutorService closer = Executors.newSingleThreadExecutor();
		try {
			for (int i = 0; i < 2000; i++) {
				KeyWatches watches = new KeyWatches(new AnsweringStore(),
						(command,
								options) -> CompletableFuture.completedFuture(new Response(
										(command instanceof Command.Get) ? new Reply.Missing() : new Reply.Ok(), null)),
						new WatchTiming((delay, task) -> () -> {
						}, WatchOptions.DEFAULT, () -> 0.5), Runnable::run);
				watch(watches).close();
				CyclicBarrier barrier = new CyclicBarrier(2);
				Future<?> closed = closer.submit(() -> {
					barrier.await();
					watches.close();
					return null;
				});
				barrier.await();
				try {
					for (int j = 0; j < 100; j++) {
						watch(watches);
					}
				}
				catch (IllegalStateException ex) {
					assertThat(ex).hasMessageContaining("closed");
				}
				closed.get();
				assertThat(watches.watchedKeys()).as("attempt " + i).isZero();
			}
		}
		finally {
			closer.shutdownNow();
		}
	}

	@Test
	void doesNotAttachClosedWatch() {
		WatchTiming timing = new WatchTiming(this.time::schedule, WatchOptions.DEFAULT, () -> 0.5);
		WatchedKey watched = new WatchedKey(KEY, new CommandGate(this.store), new FailureLog(timing.timer()), timing,
				() -> {
				});
		DefaultKeyWatch watch = new DefaultKeyWatch(watched,
				new Settings("test", false, false, Set.of(Operation.values()), null), DefaultKeyWatch.Reason.KEY,
				new DeliveryQueue("test", new RetryingExecutor(Runnable::run, timing.timer()),
						new QueueLimit(10, Long.MAX_VALUE), new DeliveryCounters(), this.delivered::add),
				() -> true, TimeSource.SYSTEM);
		watched.add(watch);
		watch.close();
		watched.attach(watch, () -> true);
		assertThat(watched.isUnused()).isTrue();
	}

	/** Source that is always connected. */
	private static final class AnsweringStore implements NotificationSource {

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
