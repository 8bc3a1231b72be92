package io.statestore.dafka.node.internal;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Limits a socket's CURVE handshakes. Every peer, even without a valid key, causes work
 * on the node's thread: {@link CurveServerHandshake} computes X25519 three times per
 * HELLO, for two agreements and the connection's public key. A host may use half of the
 * limit, so that a flood from one host does not lock out new nodes on other hosts. Not
 * thread-safe.
 */
final class HandshakeLimit {

	/** Maximum number of handshakes per period. */
	static final int MAX = 100;

	private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(5);

	private final Deque<Handshake> handshakes = new ArrayDeque<>();

	private final Map<String, Integer> hosts = new HashMap<>();

	/**
	 * Returns whether a new connection is admitted. Counts admitted connections.
	 * @param address the peer's address and port
	 */
	boolean admits(String address, long now) {
		for (Handshake oldest = this.handshakes.peek(); oldest != null
				&& now - oldest.time > PERIOD_NANOS; oldest = this.handshakes.peek()) {
			this.handshakes.remove();
			this.hosts.computeIfPresent(oldest.host, (host, count) -> (count > 1) ? count - 1 : null);
		}
		String host = address.substring(0, Math.max(0, address.lastIndexOf(':')));
		if (this.handshakes.size() >= MAX || this.hosts.getOrDefault(host, 0) >= MAX / 2) {
			return false;
		}
		this.handshakes.add(new Handshake(host, now));
		this.hosts.merge(host, 1, Integer::sum);
		return true;
	}

	private record Handshake(String host, long time) {
	}

}
