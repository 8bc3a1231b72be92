package io.statestore.broker.principal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Permits for unanswered requests, which connections share. Connections receive them in
 * the order in which they began to wait, one at a time. Thread-safe.
 */
final class Permits {

	private final ReentrantLock lock = new ReentrantLock();

	private final long max;

	private final LongAdder waits;

	/** Unanswered requests, and permits for the next one. */
	private final AtomicInteger used = new AtomicInteger();

	/** Connections that wait for a permit. */
	private final Queue<Holder> waiting = new ArrayDeque<>();

	/** Whether connections wait, so that an answer reads it without the lock. */
	private volatile boolean contended;

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
	boolean isIdle() {
		return this.used.get() == 0;
	}

	private List<Holder> grant() {
		List<Holder> resumed = new ArrayList<>();
		while (!this.waiting.isEmpty() && tryAcquire()) {
			Holder next = this.waiting.remove();
			next.markWaiting(false);
			next.permitted = true;
			resumed.add(next);
		}
		this.contended = !this.waiting.isEmpty();
		return resumed;
	}

	private boolean tryAcquire() {
		int before = this.used.get();
		while (before < this.max) {
			if (this.used.compareAndSet(before, before + 1)) {
				return true;
			}
			before = this.used.get();
		}
		return false;
	}

	/**
	 * A connection that needs permits. Confined to one thread, except that any thread may
	 * grant one.
	 */
	final class Holder {

		private static final Runnable NOTHING = () -> {
		};

		/** Resumes requests, on any thread. */
		private volatile Runnable resumption = NOTHING;

		/** Whether this connection has a permit for its next request. */
		private volatile boolean permitted;

		/** Whether this connection waits for a permit. Guarded by the lock. */
		private boolean waits;

		/** Begins a request, see {@link PrincipalShare#tryBegin}. */
		boolean tryBegin(Runnable resumption) {
			if (takePermit()) {
				return true;
			}
			this.resumption = resumption;
			if (!Permits.this.contended && tryAcquire()) {
				return true;
			}
			List<Holder> resumed;
			boolean granted;
			Permits.this.lock.lock();
			try {
				if (markWaiting(true)) {
					Permits.this.waiting.add(this);
					Permits.this.waits.increment();
				}
				// Set first: a request that ends now either sees it, or has made room.
				Permits.this.contended = true;
				resumed = grant();
				granted = takePermit();
			}
			finally {
				Permits.this.lock.unlock();
			}
			resumed.remove(this);
			resumed.forEach((holder) -> holder.resumption.run());
			return granted;
		}

		/** Keeps the permit of a request that cannot begin yet. */
		void keep() {
			this.permitted = true;
		}

		/** Ends a request, or returns a permit. */
		void end() {
			Permits.this.used.decrementAndGet();
			if (!Permits.this.contended) {
				return;
			}
			List<Holder> resumed;
			Permits.this.lock.lock();
			try {
				resumed = grant();
			}
			finally {
				Permits.this.lock.unlock();
			}
			resumed.forEach((holder) -> holder.resumption.run());
		}

		/** Ends the connection, which gets no permit afterwards. */
		void close() {
			boolean unused;
			Permits.this.lock.lock();
			try {
				if (markWaiting(false)) {
					Permits.this.waiting.remove(this);
				}
				Permits.this.contended = !Permits.this.waiting.isEmpty();
				unused = takePermit();
			}
			finally {
				Permits.this.lock.unlock();
			}
			if (unused) {
				end();
			}
		}

		/** Changes whether this connection waits, and returns whether that is new. */
		private boolean markWaiting(boolean waits) {
			boolean changed = this.waits != waits;
			this.waits = waits;
			return changed;
		}

		/**
		 * Takes the permit if there is one. Only the thread of the connection takes it.
		 */
		private boolean takePermit() {
			if (!this.permitted) {
				return false;
			}
			this.permitted = false;
			return true;
		}

	}

}
