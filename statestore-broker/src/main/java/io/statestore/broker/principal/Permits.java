package io.statestore.broker.principal;

import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/**
 * One principal's permits for unanswered requests. If no permit is available, connections
 * wait in arrival order. Thread-safe.
 */
final class Permits {

	/** Number of permits if there is no limit. */
	static final long UNLIMITED = Long.MAX_VALUE;

	private final long max;

	private final LongAdder waits;

	/**
	 * Connections waiting for a permit, in arrival order, with the action that resumes
	 * them.
	 */
	private final Map<Object, Runnable> waiting = new LinkedHashMap<>();

	/** Connections that have a permit for their next request. */
	private final Set<Object> permitted = new HashSet<>();

	/**
	 * Number of permits in use: for unanswered requests, and for the next request of
	 * permitted connections.
	 */
	private long used;

	/**
	 * Creates permits.
	 * @param max maximum number of unanswered requests
	 * @param waits counts the times that a connection has to wait
	 */
	Permits(long max, LongAdder waits) {
		this.max = max;
		this.waits = waits;
	}

	/** Returns whether all permits are available. */
	synchronized boolean isIdle() {
		return this.used == 0;
	}

	/** Begins a request if a permit is available, see {@code PrincipalShare.tryBegin}. */
	boolean tryBegin(Object connection, Runnable resumption) {
		return this.max == UNLIMITED || tryBeginLimited(connection, resumption);
	}

	private synchronized boolean tryBeginLimited(Object connection, Runnable resumption) {
		if (this.permitted.remove(connection)) {
			return true;
		}
		if (this.waiting.isEmpty() && this.used < this.max) {
			this.used++;
			return true;
		}
		if (this.waiting.put(connection, resumption) == null) {
			this.waits.increment();
		}
		return false;
	}

	/** Keeps the permit for a request that cannot begin yet. */
	synchronized void keep(Object connection) {
		this.permitted.add(connection);
	}

	/** Ends a request, or returns a permit. */
	void end() {
		if (this.max != UNLIMITED) {
			passOn().run();
		}
	}

	/**
	 * Passes a permit to the next waiting connection and returns the action that resumes
	 * it.
	 */
	private synchronized Runnable passOn() {
		Iterator<Map.Entry<Object, Runnable>> entries = this.waiting.entrySet().iterator();
		if (!entries.hasNext()) {
			this.used--;
			return () -> {
			};
		}
		Map.Entry<Object, Runnable> next = entries.next();
		entries.remove();
		this.permitted.add(next.getKey());
		return next.getValue();
	}

	/** Ends a connection, which gets no more permits. */
	void close(Object connection) {
		if (remove(connection)) {
			end();
		}
	}

	private synchronized boolean remove(Object connection) {
		this.waiting.remove(connection);
		return this.permitted.remove(connection);
	}

}
