package io.statestore.client.observation;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyObservation;
import io.statestore.client.KeyObserver.Settings;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.time.TimeSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class KeyObservationsCloseTests extends KeyObservationsFixture {

	@Test
	void observesNothingAfterClose() {
		this.store.connect();
		KeyObservation observation = observe();
		this.time.pass(1000);
		this.observations.close();
		this.time.pass(1000);
		assertThat(observation.isActive()).isFalse();
		assertThat(this.observations.observedKeys()).isZero();
		assertThatIllegalStateException().isThrownBy(this::observe).withMessageContaining("closed");
	}

	@Test
	void refusesToObserveDuringClose() {
		AtomicInteger closes = new AtomicInteger();
		KeyObservations[] observations = new KeyObservations[1];
		observations[0] = observations(new NotificationSource() {

			@Override
			public void open(Handler handler) {
				observations[0].close();
				handler.connected();
			}

			@Override
			public void close() {
				closes.incrementAndGet();
			}

			@Override
			public boolean isObservable(Bytes key) {
				return true;
			}

		}, Runnable::run);
		this.store.connect();
		assertThatIllegalStateException().isThrownBy(() -> observe(observations[0])).withMessageContaining("closed");
		this.time.pass(1000);
		assertThat(observations[0].observedKeys()).isZero();
		// Closed once more, because the source was being opened.
		assertThat(closes).hasValue(2);
	}

	@Test
	@Timeout(60)
	void leavesNoKeysWhenObservingDuringClose() throws Exception {
		ExecutorService closer = Executors.newSingleThreadExecutor();
		try {
			for (int i = 0; i < 2000; i++) {
				KeyObservations observations = new KeyObservations(new AnsweringStore(),
						(command,
								options) -> CompletableFuture.completedFuture(new Response(
										(command instanceof Command.Get) ? new Reply.Missing() : new Reply.Ok(), null)),
						new ObservationTiming((delay, task) -> () -> {
						}, ObservationOptions.DEFAULT, () -> 0.5), Runnable::run);
				observe(observations).close();
				CyclicBarrier barrier = new CyclicBarrier(2);
				Future<?> closed = closer.submit(() -> {
					barrier.await();
					observations.close();
					return null;
				});
				barrier.await();
				try {
					for (int j = 0; j < 100; j++) {
						observe(observations);
					}
				}
				catch (IllegalStateException ex) {
					assertThat(ex).hasMessageContaining("closed");
				}
				closed.get();
				assertThat(observations.observedKeys()).as("attempt " + i).isZero();
			}
		}
		finally {
			closer.shutdownNow();
		}
	}

	@Test
	void doesNotAttachClosedObservation() {
		ObservationTiming timing = new ObservationTiming(this.time::schedule, ObservationOptions.DEFAULT, () -> 0.5);
		ObservedKey observed = new ObservedKey(KEY, new CommandGate(this.store), new FailureLog(timing.timer()), timing,
				() -> {
				});
		DefaultKeyObservation observation = new DefaultKeyObservation(observed,
				new Settings("test", false, false, Set.of(Operation.values()), null),
				new DeliveryQueue("test", new RetryingExecutor(Runnable::run, timing.timer()),
						new QueueLimit(10, Long.MAX_VALUE), new DeliveryCounters(), this.delivered::add),
				() -> true, TimeSource.SYSTEM);
		observed.add(observation);
		observation.close();
		observation.attach();
		assertThat(observed.isUnused()).isTrue();
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
		public boolean isObservable(Bytes key) {
			return true;
		}

	}

}
