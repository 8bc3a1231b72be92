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
 * Queue of changes for one listener of one key, delivered in order, one at a time, on the
 * threads of an executor. A change that finds the queue full replaces all waiting ones
 * and is marked as resynchronized. Safe for use by several threads.
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

	private final QueueLimit limit;

	private final Consumer<KeyChange<Bytes>> delivery;

	/** Set from the first change that waits until none does. */
	private @Nullable Turn turn;

	/** Bytes of the values in the queue. */
	private long bytes;

	private boolean overflown;

	private boolean closed;

	/**
	 * @param delivery takes a change, and never throws
	 */
	Lane(String listenerId, PatientExecutor executor, QueueLimit limit, Consumer<KeyChange<Bytes>> delivery) {
		this.listenerId = listenerId;
		this.executor = executor;
		this.limit = limit;
		this.delivery = delivery;
	}

	QueueLimit limit() {
		return this.limit;
	}

	/** Adds a change; never blocks. */
	void offer(KeyChange<Bytes> change) {
		boolean logOverflow = false;
		int dropped = 0;
		long droppedBytes = 0;
		Turn wake = null;
		this.lock.lock();
		try {
			if (this.closed) {
				return;
			}
			if (this.limit.hasRoom(this.changes.size(), this.bytes, change)) {
				add(change);
			}
			else {
				logOverflow = !this.overflown;
				this.overflown = true;
				dropped = this.changes.size();
				droppedBytes = this.bytes;
				clear();
				add(afterGap(change));
			}
			if (this.turn == null) {
				wake = this.executor.turn(this::run);
				this.turn = wake;
			}
		}
		finally {
			this.lock.unlock();
		}
		if (logOverflow) {
			logger.warn(
					"Listener '{}' is too slow for key {}: dropped {} waiting changes ({} bytes) in favor of the latest "
							+ "one. Logged again only after the listener has caught up",
					this.listenerId, change.key(), dropped, droppedBytes);
		}
		if (wake != null) {
			wake.ask();
		}
	}

	private void add(KeyChange<Bytes> change) {
		this.changes.add(change);
		this.bytes += QueueLimit.sizeOf(change);
	}

	private KeyChange<Bytes> remove() {
		KeyChange<Bytes> change = this.changes.remove();
		this.bytes -= QueueLimit.sizeOf(change);
		return change;
	}

	private void clear() {
		this.changes.clear();
		this.bytes = 0;
	}

	/** Returns the same change, marked as following a gap. */
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

	/** {@code null} if there is none: then no change is delivered. */
	private @Nullable KeyChange<Bytes> next() {
		return forWhatWaits(this::remove);
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
			clear();
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
