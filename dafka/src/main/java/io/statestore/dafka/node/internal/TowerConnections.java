package io.statestore.dafka.node.internal;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.internal.WarningLimit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

/**
 * Connections of a node to its towers, by IP address. JeroMQ would resolve names on its
 * only I/O thread, where an unavailable name service would stop all connections. Names
 * are therefore resolved on separate threads, repeatedly while a tower is not connected.
 * Used by the thread of the node.
 */
final class TowerConnections implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(TowerConnections.class);

	/** Interval at which the name of an unconnected tower is resolved. */
	private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(2);

	/**
	 * Time after which the connection to an unconnected tower is created again, because
	 * JeroMQ does not reconnect after a protocol error.
	 */
	private static final long RECONNECT_NANOS = TimeUnit.SECONDS.toNanos(10);

	/** Interval at which unfinished lookups are checked. */
	private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	private final ZMQ.Socket out;

	private final ZMQ.Socket in;

	private final PeerConnections connected;

	private final @Nullable CurveSecurity security;

	private final HostResolver resolver;

	private final ExecutorService executor;

	private final List<Connection> connections;

	/**
	 * Creates connections, and starts those that need no name service.
	 * @param out sends the beacons of this node
	 * @param in receives the beacons of other nodes
	 * @param connected endpoints to which {@code out} and {@code in} are connected
	 * @param security keys of the towers, {@code null} without CURVE
	 */
	TowerConnections(List<TowerAddress> towers, ZMQ.Socket out, ZMQ.Socket in, PeerConnections connected,
			@Nullable CurveSecurity security, HostResolver resolver, long now) {
		this.security = security;
		this.out = out;
		this.in = in;
		this.connected = connected;
		this.resolver = resolver;
		this.executor = Executors.newCachedThreadPool((task) -> {
			Thread thread = new Thread(task, "dafka-tower-resolver");
			thread.setDaemon(true);
			return thread;
		});
		this.connections = IntStream.range(0, towers.size())
			.mapToObj((index) -> new Connection(towers.get(index), index, now))
			.toList();
		work(now);
	}

	/**
	 * Connects to towers whose names were resolved, disconnects their former addresses,
	 * and starts lookups that are due. Must be called directly after a message of
	 * {@code in} was received, or when there was none. At other times, the socket may
	 * have read the first frame of a message. Disconnecting would drop the other frames,
	 * and receiving them would block.
	 * @return time of the next call
	 */
	long work(long now) {
		long wait = RETRY_NANOS;
		for (Connection connection : this.connections) {
			wait = Math.min(wait, connection.work(now));
		}
		return now + wait;
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
	}

	/** Connection to one tower. */
	private final class Connection {

		private final TowerAddress tower;

		private final int index;

		/** Whether the host is an IP address, which needs no name service. */
		private final boolean literal;

		private final WarningLimit warnings = new WarningLimit();

		/** IP address of the current connection, {@code null} if there is none. */
		private @Nullable String host;

		/** Unfinished lookup, {@code null} if there is none. */
		private @Nullable CompletableFuture<@Nullable String> lookup;

		private long retryAt;

		/** Time when it was last seen connected, or when connecting began. */
		private long connectedAt;

		Connection(TowerAddress tower, int index, long now) {
			this.tower = tower;
			this.index = index;
			this.retryAt = now;
			this.literal = HostResolver.isAddress(tower.host());
		}

		/** Does the work that is due, and returns the time until the next call. */
		long work(long now) {
			if (this.lookup == null && now - this.retryAt < 0) {
				return this.retryAt - now;
			}
			if (this.lookup == null && isConnected()) {
				this.connectedAt = now;
			}
			else {
				this.lookup = (this.lookup != null) ? this.lookup : lookUp();
				if (!this.lookup.isDone()) {
					return POLL_NANOS;
				}
				resolved(this.lookup.join(), now);
				this.lookup = null;
			}
			this.retryAt = now + RETRY_NANOS;
			return RETRY_NANOS;
		}

		private boolean isConnected() {
			return this.host != null && TowerConnections.this.connected.contains(inEndpoint(this.host))
					&& TowerConnections.this.connected.contains(outEndpoint(this.host));
		}

		private CompletableFuture<@Nullable String> lookUp() {
			if (this.literal) {
				return CompletableFuture.completedFuture(this.tower.host());
			}
			return CompletableFuture
				.supplyAsync(() -> TowerConnections.this.resolver.resolve(this.tower.host()),
						TowerConnections.this.executor)
				.exceptionally((failure) -> null);
		}

		private void resolved(@Nullable String address, long now) {
			if (address == null) {
				this.warnings.warn(logger, now,
						"Cannot resolve the tower '{}'. Trying again every {} s. Check 'towers' and the name"
								+ " service",
						this.tower.host(), TimeUnit.NANOSECONDS.toSeconds(RETRY_NANOS));
			}
			else if (this.host != null && address.equals(this.host) && now - this.connectedAt >= RECONNECT_NANOS) {
				disconnect(address);
				this.host = null;
			}
			else if (!address.equals(this.host)) {
				connect(address, now);
			}
		}

		private void connect(String address, long now) {
			// Earlier connections to this address may have left their state.
			TowerConnections.this.connected.remove(outEndpoint(address));
			TowerConnections.this.connected.remove(inEndpoint(address));
			if (TowerConnections.this.security != null) {
				TowerConnections.this.security.tower(outEndpoint(address), this.index);
				TowerConnections.this.security.tower(inEndpoint(address), this.index);
			}
			logger.debug("Connecting to the tower {} at {}", this.tower, address);
			try {
				TowerConnections.this.out.connect(outEndpoint(address));
				TowerConnections.this.in.connect(inEndpoint(address));
			}
			catch (ZMQException | IllegalArgumentException ex) {
				TowerConnections.this.out.disconnect(outEndpoint(address));
				this.warnings.warn(logger, now, "Cannot connect to the tower {} at {}. Trying again every {} s",
						this.tower, address, TimeUnit.NANOSECONDS.toSeconds(RETRY_NANOS), ex);
				return;
			}
			if (this.host != null) {
				disconnect(this.host);
			}
			this.host = address;
			this.connectedAt = now;
		}

		private void disconnect(String address) {
			TowerConnections.this.out.disconnect(outEndpoint(address));
			TowerConnections.this.in.disconnect(inEndpoint(address));
		}

		/** Returns the endpoint that receives the beacons of nodes. */
		private String outEndpoint(String address) {
			return "tcp://" + address + ':' + this.tower.inPort();
		}

		/** Returns the endpoint that sends beacons to nodes. */
		private String inEndpoint(String address) {
			return "tcp://" + address + ':' + this.tower.outPort();
		}

	}

}
