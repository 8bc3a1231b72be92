package io.statestore.client.watch;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.client.StateStoreException;
import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ListenerExecutorTests extends KeyWatchesFixture {

	@Test
	void callsDirectListenerWithoutExecutor() {
		KeyWatches watches = watches(this.store, (task) -> {
			throw new AssertionError("not to be asked");
		});
		this.store.connect();
		KeyWatch watch = watches.watch(KEY,
				new Settings("test", false, false, Set.of(Operation.values()), null).asDirect(), this.delivered::add);
		this.time.pass(1000);
		assertThat(watch.started()).isCompleted();
		this.store.set(KEY.bytes(), Bytes.of("value"));
		this.time.pass(1000);
		assertThat(this.delivered).hasSize(1);
	}

	static List<Throwable> rejections() {
		return List.of(new RejectedExecutionException("full"), new IllegalStateException("shut down"),
				new OutOfMemoryError("unable to create native thread"));
	}

	@ParameterizedTest
	@MethodSource("rejections")
	void deliversLastChangeAfterRejections(Throwable rejection) {
		RejectingExecutor executor = new RejectingExecutor(rejection);
		this.store.connect();
		watch(watches(this.store, executor));
		watch(watches(this.store, executor));
		this.time.pass(1000);
		executor.rejects = true;
		this.store.set(KEY.bytes(), Bytes.of("1"));
		this.store.set(KEY.bytes(), Bytes.of("2"));
		this.time.pass(1000);
		assertThat(this.delivered).isEmpty();
		executor.rejects = false;
		this.time.pass(100);
		assertThat(this.delivered).extracting(KeyChange::value).contains(Bytes.of("1"), Bytes.of("2"));
	}

	@ParameterizedTest
	@MethodSource("rejections")
	void publishesStartOnExecutorOnly(Throwable rejection) {
		RejectingExecutor executor = new RejectingExecutor(rejection);
		executor.rejects = true;
		this.store.connect();
		KeyWatch watch = watch(watches(this.store, executor));
		this.time.pass(1000);
		assertThat(watch.isActive()).isTrue();
		assertThat(watch.started()).isNotDone();
		executor.rejects = false;
		this.time.pass(100);
		assertThat(watch.started()).isCompleted();
	}

	@Test
	void publishesCloseBeforeStartOnExecutor() {
		Queue<Runnable> tasks = new ArrayDeque<>();
		KeyWatch watch = watch(watches(this.store, tasks::add));
		watch.closeAsync();
		assertThat(watch.started()).isNotDone();
		tasks.forEach(Runnable::run);
		assertThat(watch.started()).isCompletedExceptionally();
	}

	@Test
	void closesWithoutWaitingForRejectingExecutor() {
		RejectingExecutor executor = new RejectingExecutor(new RejectedExecutionException("shut down"));
		this.store.connect();
		KeyWatches watches = watches(this.store, executor);
		KeyWatch started = watch(watches);
		this.time.pass(1000);
		executor.rejects = true;
		KeyWatch late = watch(watches);
		this.time.pass(1000);
		this.store.set(KEY.bytes(), Bytes.of("1"));
		this.time.pass(1000);
		assertThat(started.closeAsync()).isDone();
		assertThat(late.closeAsync()).isDone();
		assertThat(late.started()).isDone();
		int asked = executor.rejections;
		this.time.pass(1000);
		assertThat(executor.rejections).isEqualTo(asked);
		assertThat(this.delivered).isEmpty();
	}

	@Test
	void awaitsStartWithoutExecutor() throws InterruptedException {
		RejectingExecutor executor = new RejectingExecutor(new RejectedExecutionException("full"));
		executor.rejects = true;
		this.store.connect();
		KeyWatches watches = watches(this.store, executor);
		KeyWatch watch = watch(watches);
		assertThat(watch.awaitStarted(Duration.ofMillis(1))).isFalse();
		this.time.pass(1000);
		assertThat(watch.awaitStarted(Duration.ofMillis(1))).isTrue();
		this.store.cut();
		KeyWatch refused = watch(watches);
		this.store.refuse(new StateStoreException("not authorized"));
		assertThatExceptionOfType(StateStoreException.class)
			.isThrownBy(() -> refused.awaitStarted(Duration.ofMillis(1)))
			.withMessage("not authorized");
	}

	/** Runs tasks at once or rejects them. */
	private static final class RejectingExecutor implements Executor {

		private final Throwable rejection;

		private boolean rejects;

		private int rejections;

		private RejectingExecutor(Throwable rejection) {
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
