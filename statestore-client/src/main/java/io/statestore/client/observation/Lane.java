package io.statestore.client.observation;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.statestore.client.KeyChange;
import io.statestore.client.observation.PatientExecutor.Turn;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way to one listener of one key: in order, one change at a time, on the threads of
 * an executor. Bounded: a change that finds it full replaces all that wait, because a
 * listener that cannot keep up is served best with the latest value. Safe for use by
 * several threads.
 */
final class Lane {

	private static final Logger logger = LoggerFactory.getLogger(Lane.class);

	/** Then other lanes get the thread. */
	private static final int BATCH = 32;

	private final ReentrantLock lock = new ReentrantLock();

	private final Queue<KeyChange<Bytes>> changes = new ArrayDeque<>();

	private final CompletableFuture<Void> ended = new CompletableFuture<>();

	private final String listenerId;

	private final PatientExecutor executor;

	private final int capacity;

	private final Consumer<KeyChange<Bytes>> delivery;

	/** Set from the first change that waits until none does. */
	private @Nullable Turn turn;

	private boolean overflown;

	private boolean closed;

	/**
	 * @param delivery takes a change, and never throws
	 */
	Lane(String listenerId, PatientExecutor executor, int capacity, Consumer<KeyChange<Bytes>> delivery) {
		this.listenerId = listenerId;
		this.executor = executor;
		this.capacity = capacity;
		this.delivery = delivery;
	}

	int capacity() {
		return this.capacity;
	}

	/** Hand over a change; never blocks. */
	void offer(KeyChange<Bytes> change) {
		boolean tellOfOverflow = false;
		Turn wake = null;
		this.lock.lock();
		try {
			if (this.closed) {
				return;
			}
			if (this.changes.size() < this.capacity) {
				this.changes.add(change);
			}
			else {
				tellOfOverflow = !this.overflown;
				this.overflown = true;
				this.changes.clear();
				this.changes.add(afterGap(change));
			}
			if (this.turn == null) {
				wake = this.executor.turn(this::run);
				this.turn = wake;
			}
		}
		finally {
			this.lock.unlock();
		}
		if (tellOfOverflow) {
			logger.warn(
					"Listener '{}' is too slow for key {}: {} changes waited and were dropped for the latest one. "
							+ "This is said again only after it has caught up",
					this.listenerId, change.key(), this.capacity);
		}
		if (wake != null) {
			wake.ask();
		}
	}

	/** The same change, marked because others before it are left out. */
	static KeyChange<Bytes> afterGap(KeyChange<Bytes> change) {
		return new KeyChange<>(change.key(), change.operation(), change.value(), change.version(), true);
	}

	private void run() {
		for (int i = 0; i < BATCH; i++) {
			KeyChange<Bytes> change = next();
			if (change == null) {
				return;
			}
			deliver(change);
		}
		Turn next = nextTurn();
		if (next != null) {
			next.ask();
		}
	}

	/** What throws around a listener, such as a tracer, must not stop all that follow. */
	private void deliver(KeyChange<Bytes> change) {
		try {
			this.delivery.accept(change);
		}
		catch (Throwable ex) {
			logger.error("A change of key {} did not reach listener '{}'; the next one follows", change.key(),
					this.listenerId, ex);
		}
	}

	/** {@code null} if there is none: then nothing runs any more. */
	private @Nullable KeyChange<Bytes> next() {
		return forWhatWaits(this.changes::remove);
	}

	private @Nullable Turn nextTurn() {
		return forWhatWaits(() -> {
			this.turn = this.executor.turn(this::run);
			return this.turn;
		});
	}

	private <R> @Nullable R forWhatWaits(Supplier<R> action) {
		boolean ended;
		this.lock.lock();
		try {
			if (!this.changes.isEmpty()) {
				return action.get();
			}
			this.turn = null;
			this.overflown = false;
			ended = this.closed;
		}
		finally {
			this.lock.unlock();
		}
		if (ended) {
			this.ended.complete(null);
		}
		return null;
	}

	/**
	 * Drop what waits and take nothing more.
	 * @return completed when a delivery that was running has ended
	 */
	CompletableFuture<Void> close() {
		boolean idle;
		this.lock.lock();
		try {
			this.closed = true;
			this.changes.clear();
			// One that has not begun would find nothing, if it ever ran.
			idle = this.turn == null || this.turn.cancel();
		}
		finally {
			this.lock.unlock();
		}
		if (idle) {
			this.ended.complete(null);
		}
		return this.ended.copy();
	}

}
