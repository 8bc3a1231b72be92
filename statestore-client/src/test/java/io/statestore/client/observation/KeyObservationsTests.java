package io.statestore.client.observation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyObservation;
import io.statestore.client.KeyObserver.Settings;
import io.statestore.client.StateStoreException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** What holds between listeners and keys, in virtual time. */
class KeyObservationsTests {

	private static final Key KEY = Key.of("key");

	private final VirtualTime time = new VirtualTime();

	private final SimulatedStore store = new SimulatedStore(this.time, new Random(1));

	private final List<KeyChange<Bytes>> told = new ArrayList<>();

	private final KeyObservations observations = observations(this.store, Runnable::run);

	private KeyObservations observations(NotificationSource source, Executor executor) {
		return new KeyObservations(source, this.store,
				new ObservationTiming(this.time::schedule, ObservationOptions.DEFAULT, () -> 0.5), executor);
	}

	private KeyObservation observe() {
		return observe(this.observations);
	}

	private KeyObservation observe(KeyObservations observations) {
		return observations.observe(KEY, new Settings("test", false, false, Set.of(Operation.values()), null),
				this.told::add);
	}

	@Test
	void whoeverHearsOfTheStartFindsItActive() {
		this.store.connect();
		KeyObservation observation = observe();
		List<Boolean> active = new ArrayList<>();
		observation.started().thenRun(() -> active.add(observation.isActive()));
		assertThat(observation.isActive()).isFalse();
		this.time.pass(1000);
		assertThat(active).containsExactly(true);
		this.store.cut();
		assertThat(observation.isActive()).isFalse();
		this.store.connect();
		this.time.pass(1000);
		assertThat(observation.isActive()).isTrue();
	}

	@Test
	void aListenerThatJoinsOthersIsNotActiveBeforeItsOwnStart() {
		this.store.connect();
		observe();
		this.time.pass(1000);
		KeyObservation second = observe();
		// What is written now may be part of what it begins with, and is not told then.
		assertThat(second.started()).isNotDone();
		assertThat(second.isActive()).isFalse();
		this.time.pass(1000);
		assertThat(second.started()).isCompleted();
		assertThat(second.isActive()).isTrue();
	}

	@Test
	void aDirectListenerNeedsNoExecutor() {
		KeyObservations observations = observations(this.store, (task) -> {
			throw new AssertionError("not to be asked");
		});
		this.store.connect();
		KeyObservation observation = observations.observe(KEY,
				new Settings("test", false, false, Set.of(Operation.values()), null, true), this.told::add);
		this.time.pass(1000);
		assertThat(observation.started()).isCompleted();
		this.store.set(KEY.bytes(), Bytes.of("value"));
		this.time.pass(1000);
		assertThat(this.told).hasSize(1);
	}

	@Test
	void reportsInterruptionsInOrderWithChanges() {
		List<String> events = new ArrayList<>();
		this.store.connect();
		this.observations.observe(KEY, new Settings("test", false, false, Set.of(Operation.values()), null, true,
				(state) -> events.add(state.name())), (change) -> events.add(change.operation().name()));
		this.time.pass(1000);
		this.store.cut();
		this.time.pass(1000);
		this.store.set(KEY.bytes(), Bytes.of("value"));
		this.store.connect();
		this.time.pass(1000);
		assertThat(events).containsExactly("ACTIVE", "INTERRUPTED", "SET", "ACTIVE");
	}

	@Test
	void aRenewalKeepsItActive() {
		this.store.connect();
		KeyObservation observation = observe();
		this.time.pass(1000);
		int before = this.store.keyNotifies;
		for (int i = 0; i < 400; i++) {
			this.time.pass(1000);
			assertThat(observation.isActive()).isTrue();
		}
		assertThat(this.store.keyNotifies).isEqualTo(before + 2);
	}

	@Test
	void forgetsKeysThatNobodyListensTo() {
		this.store.connect();
		KeyObservation first = observe();
		KeyObservation second = observe();
		this.time.pass(1000);
		first.close();
		this.time.pass(1000);
		assertThat(this.observations.isActive(KEY)).isTrue();
		second.close();
		assertThat(this.observations.observedKeys()).isOne();
		this.time.pass(1000);
		assertThat(this.observations.observedKeys()).isZero();
		observe().close();
		this.store.cut();
		assertThat(this.observations.observedKeys()).isZero();
	}

	@Test
	void aRefusalOfTheConnectionReachesEveryListener() {
		KeyObservation before = observe();
		this.store.refuse(new StateStoreException("not authorized"));
		KeyObservation after = observe();
		assertThat(before.started()).isCompletedExceptionally();
		assertThat(after.started()).isCompletedExceptionally();
		this.store.connect();
		this.time.pass(1000);
		assertThat(before.isActive()).isTrue();
	}

	@Test
	void aRefusalEndsWithItsConnection() {
		observe();
		this.store.refuse(new StateStoreException("not authorized"));
		this.store.cutRefused();
		KeyObservation meanwhile = observe();
		assertThat(meanwhile.started()).isNotDone();
		this.store.connect();
		this.time.pass(1000);
		assertThat(meanwhile.started()).isCompleted();
		assertThat(meanwhile.isActive()).isTrue();
	}

	@Test
	void afterCloseNothingIsObserved() {
		this.store.connect();
		KeyObservation observation = observe();
		this.time.pass(1000);
		this.observations.close();
		this.time.pass(1000);
		assertThat(observation.isActive()).isFalse();
		assertThat(this.observations.observedKeys()).isZero();
		assertThatIllegalStateException().isThrownBy(this::observe).withMessageContaining("closed");
	}

	static List<Throwable> rejections() {
		return List.of(new RejectedExecutionException("full"), new IllegalStateException("shut down"),
				new OutOfMemoryError("unable to create native thread"));
	}

	@ParameterizedTest
	@MethodSource("rejections")
	void anExecutorThatRejectsOnlyDelaysTheLastChange(Throwable rejection) {
		MoodyExecutor executor = new MoodyExecutor(rejection);
		this.store.connect();
		observe(observations(this.store, executor));
		observe(observations(this.store, executor));
		this.time.pass(1000);
		executor.rejects = true;
		this.store.set(KEY.bytes(), Bytes.of("1"));
		this.store.set(KEY.bytes(), Bytes.of("2"));
		this.time.pass(1000);
		assertThat(this.told).isEmpty();
		executor.rejects = false;
		this.time.pass(100);
		assertThat(this.told).extracting(KeyChange::value).contains(Bytes.of("1"), Bytes.of("2"));
	}

	@ParameterizedTest
	@MethodSource("rejections")
	void theStartIsNotToldOnAThreadOfTheNetwork(Throwable rejection) {
		MoodyExecutor executor = new MoodyExecutor(rejection);
		executor.rejects = true;
		this.store.connect();
		KeyObservation observation = observe(observations(this.store, executor));
		this.time.pass(1000);
		assertThat(observation.isActive()).isTrue();
		assertThat(observation.started()).isNotDone();
		executor.rejects = false;
		this.time.pass(100);
		assertThat(observation.started()).isCompleted();
	}

	@Test
	void whatIsClosedDoesNotWaitForAnExecutorThatRejects() {
		MoodyExecutor executor = new MoodyExecutor(new RejectedExecutionException("shut down"));
		this.store.connect();
		KeyObservations observations = observations(this.store, executor);
		KeyObservation started = observe(observations);
		this.time.pass(1000);
		executor.rejects = true;
		KeyObservation late = observe(observations);
		this.time.pass(1000);
		this.store.set(KEY.bytes(), Bytes.of("1"));
		this.time.pass(1000);
		assertThat(started.closeAsync()).isDone();
		assertThat(late.closeAsync()).isDone();
		assertThat(late.started()).isDone();
		int asked = executor.rejections;
		this.time.pass(1000);
		assertThat(executor.rejections).isEqualTo(asked);
		assertThat(this.told).isEmpty();
	}

	@Test
	void whoObservesWhileItIsBeingClosedIsRefused() {
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
		// Again after the opening that was under way.
		assertThat(closes).hasValue(2);
	}

	@Test
	@Timeout(60)
	void closingAndObservingAtOnceLeavesNothingBehind() throws Exception {
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
	void whatIsClosedBeforeItIsAttachedIsNotAttached() {
		ObservationTiming timing = new ObservationTiming(this.time::schedule, ObservationOptions.DEFAULT, () -> 0.5);
		ObservedKey observed = new ObservedKey(KEY, new CommandGate(this.store), new FailureLog(timing.timer()), timing,
				() -> {
				});
		DefaultKeyObservation observation = new DefaultKeyObservation(observed,
				new Settings("test", false, false, Set.of(Operation.values()), null),
				new DeliveryQueue("test", new RetryingExecutor(Runnable::run, timing.timer()),
						new QueueLimit(10, Long.MAX_VALUE), this.told::add),
				() -> true);
		observed.add(observation);
		observation.close();
		observation.attach();
		assertThat(observed.isUnused()).isTrue();
	}

	@Test
	void whoWaitsForTheStartNeedsNoExecutor() throws InterruptedException {
		MoodyExecutor executor = new MoodyExecutor(new RejectedExecutionException("full"));
		executor.rejects = true;
		this.store.connect();
		KeyObservations observations = observations(this.store, executor);
		KeyObservation observation = observe(observations);
		assertThat(observation.awaitStarted(Duration.ofMillis(1))).isFalse();
		this.time.pass(1000);
		assertThat(observation.awaitStarted(Duration.ofMillis(1))).isTrue();
		this.store.cut();
		KeyObservation refused = observe(observations);
		this.store.refuse(new StateStoreException("not authorized"));
		assertThatExceptionOfType(StateStoreException.class)
			.isThrownBy(() -> refused.awaitStarted(Duration.ofMillis(1)))
			.withMessage("not authorized");
	}

	@Test
	void aContinuationOfAnOwnWriteFindsTheChangesThatWaitedForIt() {
		this.store.connect();
		this.observations.observe(KEY, new Settings("test", false, true, Set.of(Operation.values()), null),
				this.told::add);
		this.time.pass(1000);
		CompletableFuture<Response> reply = new CompletableFuture<>();
		CompletableFuture<Response> write = this.observations.tracking((command, options) -> reply)
			.invoke(new Command.Set(KEY.bytes(), Bytes.of("own")), Options.DEFAULT);
		this.store.set(KEY.bytes(), Bytes.of("foreign"));
		this.time.pass(1000);
		assertThat(this.told).isEmpty();
		List<KeyChange<Bytes>> found = new ArrayList<>();
		// It might wait for them.
		write.thenRun(() -> found.addAll(this.told));
		reply.complete(new Response(new Reply.Ok(), new Version(1, 0, "StateStore")));
		assertThat(found).extracting(KeyChange::value).containsExactly(Bytes.of("foreign"));
	}

	@Test
	void whoGivesUpATrackedWriteGivesUpTheReply() {
		this.store.connect();
		this.observations.observe(KEY, new Settings("test", false, true, Set.of(Operation.values()), null),
				this.told::add);
		CompletableFuture<Response> reply = new CompletableFuture<>();
		this.observations.tracking((command, options) -> reply)
			.invoke(new Command.Set(KEY.bytes(), Bytes.of("own")), Options.DEFAULT)
			.cancel(true);
		assertThat(reply).isCancelled();
	}

	/** Connected from the beginning. */
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

	/** Runs tasks at once, or not at all. */
	private static final class MoodyExecutor implements Executor {

		private final Throwable rejection;

		private boolean rejects;

		private int rejections;

		private MoodyExecutor(Throwable rejection) {
			this.rejection = rejection;
		}

		@Override
		public void execute(Runnable task) {
			if (!this.rejects) {
				task.run();
				return;
			}
			this.rejections++;
			if (this.rejection instanceof Error error) {
				throw error;
			}
			throw (RuntimeException) this.rejection;
		}

	}

}
