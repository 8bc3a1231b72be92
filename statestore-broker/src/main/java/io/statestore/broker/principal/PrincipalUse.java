package io.statestore.broker.principal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Use of the limits of one principal by all of its connections. Connections receive
 * permits for requests in the order in which they began to wait, one at a time.
 * Thread-safe.
 */
final class PrincipalUse {

	private final ReentrantLock lock = new ReentrantLock();

	private final PrincipalLimits limits;

	private final ReceiveRate rate;

	private final LongSupplier clock;

	private final LongAdder waits;

	/** Unanswered requests, and permits for the next one. */
	private final AtomicInteger requests = new AtomicInteger();

	/** Number of open connections of each client id. */
	private final Map<String, Integer> connections = new HashMap<>();

	/** Connections that wait for a permit. */
	private final Queue<PrincipalShare> waiting = new ArrayDeque<>();

	/** Whether connections wait, so that an answer reads it without the lock. */
	private volatile boolean contended;

	PrincipalUse(PrincipalLimits limits, LongSupplier clock, LongAdder waits) {
		this.limits = limits;
		this.clock = clock;
		this.waits = waits;
		this.rate = new ReceiveRate(limits.maxRate(), clock.getAsLong());
	}

	/**
	 * Adds a connection. A client that reconnects is admitted above the limit, because it
	 * takes over its earlier connection.
	 * @return whether it is admitted
	 */
	boolean tryConnect(String clientId) {
		this.lock.lock();
		try {
			if (!this.connections.containsKey(clientId) && this.connections.size() >= this.limits.maxConnections()) {
				return false;
			}
			this.connections.merge(clientId, 1, Integer::sum);
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Removes a connection.
	 * @param share the share of the connection, which gets no permit afterwards
	 */
	void disconnect(String clientId, PrincipalShare share) {
		boolean unused;
		this.lock.lock();
		try {
			this.connections.computeIfPresent(clientId, (id, count) -> (count > 1) ? count - 1 : null);
			if (share.markWaiting(false)) {
				this.waiting.remove(share);
			}
			this.contended = !this.waiting.isEmpty();
			unused = share.takePermit();
		}
		finally {
			this.lock.unlock();
		}
		if (unused) {
			end();
		}
	}

	/** Begins a request, or makes the connection wait for a permit. */
	boolean tryBegin(PrincipalShare share) {
		if (!this.contended && tryAcquire()) {
			return true;
		}
		List<PrincipalShare> resumed;
		boolean permitted;
		this.lock.lock();
		try {
			if (share.markWaiting(true)) {
				this.waiting.add(share);
				this.waits.increment();
			}
			// Set first: a request that ends now either sees it, or has made room.
			this.contended = true;
			resumed = grant();
			permitted = share.takePermit();
		}
		finally {
			this.lock.unlock();
		}
		resumed.remove(share);
		resumed.forEach(PrincipalShare::resume);
		return permitted;
	}

	/** Ends a request, or returns a permit. */
	void end() {
		this.requests.decrementAndGet();
		if (!this.contended) {
			return;
		}
		List<PrincipalShare> resumed;
		this.lock.lock();
		try {
			resumed = grant();
		}
		finally {
			this.lock.unlock();
		}
		resumed.forEach(PrincipalShare::resume);
	}

	private List<PrincipalShare> grant() {
		List<PrincipalShare> resumed = new ArrayList<>();
		while (!this.waiting.isEmpty() && tryAcquire()) {
			PrincipalShare next = this.waiting.remove();
			next.markWaiting(false);
			next.givePermit();
			resumed.add(next);
		}
		this.contended = !this.waiting.isEmpty();
		return resumed;
	}

	private boolean tryAcquire() {
		int before = this.requests.get();
		while (before < this.limits.maxRequests()) {
			if (this.requests.compareAndSet(before, before + 1)) {
				return true;
			}
			before = this.requests.get();
		}
		return false;
	}

	/**
	 * Takes received bytes.
	 * @return the time to wait before further bytes in nanoseconds, 0 for none
	 */
	long received(int bytes) {
		return this.rate.take(bytes, this.clock.getAsLong());
	}

	/** Returns the number of client ids with open connections. */
	int connections() {
		this.lock.lock();
		try {
			return this.connections.size();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Returns whether nothing is in use, so that a new object is equal to this one. */
	boolean isIdle() {
		return connections() == 0 && this.requests.get() == 0 && this.rate.isFull(this.clock.getAsLong());
	}

}
