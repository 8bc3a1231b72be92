package io.statestore.broker.principal;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.LongAdder;

import org.jspecify.annotations.Nullable;

/**
 * Permits for unanswered requests, which connections share. Connections receive them in
 * the order in which they began to wait, one at a time. Thread-safe.
 */
final class Permits {

	private final long max;

	private final LongAdder waits;

	/** Connections that wait for a permit. */
	private final Queue<Holder> waiting = new ArrayDeque<>();

	/** Unanswered requests, and permits for the next one. */
	private long used;

	/**
	 * Creates permits.
	 * @param max maximum number of unanswered requests
	 * @param waits counts how often a connection begins to wait
	 */
	Permits(long max, LongAdder waits) {
		this.max = max;
		this.waits = waits;
	}

	/** Returns whether all permits are available. */
	synchronized boolean isIdle() {
		return this.used == 0;
	}

	private synchronized boolean tryBegin(Holder holder) {
		boolean permitted = holder.permitted;
		holder.permitted = false;
		if (!permitted && this.waiting.isEmpty() && this.used < this.max) {
			this.used++;
			return true;
		}
		if (!permitted && !holder.waits) {
			holder.waits = true;
			this.waiting.add(holder);
			this.waits.increment();
		}
		return permitted;
	}

	/** Passes a permit on, and returns the connection that receives it. */
	private synchronized @Nullable Holder passOn() {
		Holder next = this.waiting.poll();
		if (next == null) {
			this.used--;
		}
		else {
			next.waits = false;
			next.permitted = true;
		}
		return next;
	}

	/** Removes a connection, and returns whether it had a permit. */
	private synchronized boolean remove(Holder holder) {
		this.waiting.remove(holder);
		boolean permitted = holder.permitted;
		holder.permitted = false;
		return permitted;
	}

	/** A connection that needs permits. Confined to one thread. */
	final class Holder {

		/** Resumes requests, on any thread. */
		private volatile Runnable resumption = () -> {
		};

		/** Whether this connection has a permit for its next request. */
		private boolean permitted;

		/** Whether this connection waits for a permit. */
		private boolean waits;

		/** Begins a request, see {@link PrincipalShare#tryBegin}. */
		boolean tryBegin(Runnable resumption) {
			// Set first: a request that ends now may resume this connection.
			this.resumption = resumption;
			return Permits.this.tryBegin(this);
		}

		/** Keeps the permit of a request that cannot begin yet. */
		void keep() {
			synchronized (Permits.this) {
				this.permitted = true;
			}
		}

		/** Ends a request, or returns a permit. */
		void end() {
			Holder next = passOn();
			if (next != null) {
				next.resumption.run();
			}
		}

		/** Ends the connection, which gets no permit afterwards. */
		void close() {
			if (remove(this)) {
				end();
			}
		}

	}

}
