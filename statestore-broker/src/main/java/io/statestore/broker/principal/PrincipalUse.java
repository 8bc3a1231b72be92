package io.statestore.broker.principal;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** One principal's use of its limits, on all of its connections. Thread-safe. */
final class PrincipalUse {

	private final long maxConnections;

	private final Permits requests;

	private final Permits scans;

	/** Number of open connections, by client id. */
	private final Map<String, Integer> connections = new HashMap<>();

	PrincipalUse(long maxConnections, long maxRequests, long maxScans, LongAdder waits) {
		this.maxConnections = maxConnections;
		this.requests = new Permits(maxRequests, waits);
		this.scans = new Permits(maxScans, waits);
	}

	Permits requests() {
		return this.requests;
	}

	Permits scans() {
		return this.scans;
	}

	/**
	 * Adds a connection. A client that reconnects is admitted even above the limit,
	 * because it takes over its earlier connection.
	 * @return whether the connection is admitted
	 */
	synchronized boolean tryConnect(String clientId) {
		if (!this.connections.containsKey(clientId) && this.connections.size() >= this.maxConnections) {
			return false;
		}
		this.connections.merge(clientId, 1, Integer::sum);
		return true;
	}

	/** Removes a connection. */
	synchronized void disconnect(String clientId) {
		this.connections.computeIfPresent(clientId, (id, count) -> (count > 1) ? count - 1 : null);
	}

	/** Returns the number of client ids with open connections. */
	synchronized int connections() {
		return this.connections.size();
	}

	/**
	 * Returns whether nothing is in use, so that this object can be replaced with a new
	 * one.
	 */
	boolean isIdle() {
		return connections() == 0 && this.requests.isIdle() && this.scans.isIdle();
	}

}
