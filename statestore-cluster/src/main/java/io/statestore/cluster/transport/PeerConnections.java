package io.statestore.cluster.transport;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

import com.alipay.sofa.jraft.ReplicatorGroup;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.util.Endpoint;
import io.netty.bootstrap.Bootstrap;
import org.jspecify.annotations.Nullable;

/** This node's connections to its peers, at most one for each peer. Thread-safe. */
final class PeerConnections {

	private final TransportOptions options;

	private final Bootstrap bootstrap;

	private final Executor background;

	private final Reachability reachability;

	private final @Nullable ReplicatorGroup replicators;

	private final Map<Endpoint, PeerConnection> connections = new ConcurrentHashMap<>();

	private volatile boolean closed;

	/**
	 * Creates connections.
	 * @param background resolves host names, and notifies JRaft of new connections
	 * @param replicators leader's senders to notify of new connections, {@code null} for
	 * none
	 */
	PeerConnections(TransportOptions options, Bootstrap bootstrap, Executor background, Reachability reachability,
			@Nullable ReplicatorGroup replicators) {
		this.options = options;
		this.bootstrap = bootstrap;
		this.background = background;
		this.reachability = reachability;
		this.replicators = replicators;
	}

	boolean isUsable(Endpoint peer) {
		PeerConnection connection = this.connections.get(peer);
		return connection != null && connection.isUsable();
	}

	boolean isOpen(Endpoint peer) {
		PeerConnection connection = this.connections.get(peer);
		return connection != null && connection.isOpen();
	}

	boolean contains(Endpoint peer) {
		return this.connections.containsKey(peer);
	}

	/** Returns the connection to a peer. Opens it unless it is open or being opened. */
	PeerConnection open(Endpoint peer) {
		PeerConnection existing = this.connections.get(peer);
		if (existing != null) {
			if (!existing.isClosed()) {
				return existing;
			}
			// The connection is closed, but its event loop has not noticed yet.
			this.connections.remove(peer, existing);
		}
		PeerConnection created = new PeerConnection(this.options, peer, this.bootstrap.config().group().next(),
				this.reachability);
		PeerConnection other = this.connections.putIfAbsent(peer, created);
		if (other != null) {
			return other;
		}
		created.onEnd(() -> this.connections.remove(peer, created));
		if (this.closed) {
			created.close();
		}
		else {
			this.background.execute(() -> created.open(this.bootstrap, () -> opened(peer)));
		}
		return created;
	}

	/** Lets a leader replicate to the peer immediately. Waits for JRaft's locks. */
	private void opened(Endpoint peer) {
		ReplicatorGroup replicators = this.replicators;
		if (replicators != null) {
			this.background.execute(() -> replicators.checkReplicator(new PeerId(peer, 0), true));
		}
	}

	void call(Endpoint peer, OutboundCall call, long timeoutMillis) {
		open(peer).call(call, timeoutMillis);
	}

	void close(Endpoint peer) {
		PeerConnection connection = this.connections.get(peer);
		if (connection != null) {
			connection.close();
		}
	}

	void close() {
		this.closed = true;
		this.connections.values().forEach(PeerConnection::close);
	}

}
