package io.statestore.dafka.node;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.TowerAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

/**
 * Connects the sockets of a node to its towers, by IP address. JeroMQ would resolve names
 * on its only I/O thread, where a name service that is down stops all connections. Each
 * tower has a thread of its own for that, and the name of a tower without connection is
 * resolved again and again. For the thread of the node.
 */
final class TowerConnections implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(TowerConnections.class);

	/** Time after which the name of a tower without connection is resolved again. */
	private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(2);

	/**
	 * Time after which a tower without connection is connected to anew, because JeroMQ
	 * does not reconnect after a protocol error.
	 */
	private static final long RECONNECT_NANOS = TimeUnit.SECONDS.toNanos(10);

	/** Interval at which lookups under way are checked. */
	private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	private final ZMQ.Socket out;

	private final ZMQ.Socket in;

	private final PeerConnections connected;

	private final HostResolver resolver;

	private final ExecutorService executor;

	private final List<Connection> connections;

	/**
	 * Creates connections, and makes those that need no name service.
	 * @param out gets the beacons of this node
	 * @param in receives the beacons of other nodes
	 * @param connected the endpoints to which {@code out} and {@code in} are connected
	 */
	TowerConnections(List<TowerAddress> towers, ZMQ.Socket out, ZMQ.Socket in, PeerConnections connected,
			HostResolver resolver, long now) {
		this.out = out;
		this.in = in;
		this.connected = connected;
		this.resolver = resolver;
		this.executor = Executors.newCachedThreadPool((task) -> {
			Thread thread = new Thread(task, "dafka-tower-resolver");
			thread.setDaemon(true);
			return thread;
		});
		this.connections = towers.stream().map((tower) -> new Connection(tower, now)).toList();
		work(now);
	}

	/**
	 * Connects to towers whose names were resolved, and resolves names that are due.
	 * @return when to call it again
	 */
	long work(long now) {
		long wait = RETRY_NANOS;
		for (Connection connection : this.connections) {
			wait = Math.min(wait, connection.work(now));
		}
		return now + wait;
	}

	/**
	 * Disconnects from former addresses. To be called only directly after a message of
	 * {@code in} was received, or when there was none. At other times the socket may have
	 * already read the first frame of a message. Disconnecting would drop the others, and
	 * receiving them would block.
	 */
	void received() {
		this.connections.forEach(Connection::disconnectFormer);
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
	}

	private final class Connection {

		private final TowerAddress tower;

		/** Whether the tower is given by an address, which needs no name service. */
		private final boolean literal;

		private final WarningLimit warnings = new WarningLimit();

		/** The address of its connections, {@code null} if there are none. */
		private @Nullable String host;

		/** An address that is still to be disconnected. */
		private @Nullable String former;

		private @Nullable CompletableFuture<@Nullable String> lookup;

		private long retryAt;

		/** Time when it was seen connected, or when connecting began. */
		private long connectedAt;

		Connection(TowerAddress tower, long now) {
			this.tower = tower;
			this.retryAt = now;
			this.literal = HostResolver.isAddress(tower.host());
		}

		/** Returns the time until it is due again. */
		long work(long now) {
			if (this.lookup != null) {
				if (!this.lookup.isDone()) {
					return POLL_NANOS;
				}
				resolved(this.lookup.join(), now);
				this.lookup = null;
				this.retryAt = now + RETRY_NANOS;
			}
			else if (now - this.retryAt >= 0) {
				this.retryAt = now + RETRY_NANOS;
				if (isConnected()) {
					this.connectedAt = now;
				}
				else if (this.former == null) {
					if (this.host != null && now - this.connectedAt >= RECONNECT_NANOS) {
						this.former = this.host;
						this.host = null;
					}
					else if (this.literal) {
						resolved(this.tower.host(), now);
					}
					else {
						this.lookup = lookUp();
						return POLL_NANOS;
					}
				}
			}
			return this.retryAt - now;
		}

		private boolean isConnected() {
			return this.host != null && TowerConnections.this.connected.contains(inEndpoint(this.host))
					&& TowerConnections.this.connected.contains(outEndpoint(this.host));
		}

		private CompletableFuture<@Nullable String> lookUp() {
			return CompletableFuture
				.supplyAsync(() -> TowerConnections.this.resolver.resolve(this.tower.host()),
						TowerConnections.this.executor)
				.exceptionally((failure) -> null);
		}

		private void resolved(@Nullable String address, long now) {
			if (address == null) {
				if (this.warnings.permits(now)) {
					logger.warn(
							"Cannot resolve the tower '{}'. Trying again every {} s. Check 'towers' and the name"
									+ " service. Similar messages left out: {}",
							this.tower.host(), TimeUnit.NANOSECONDS.toSeconds(RETRY_NANOS), this.warnings.suppressed());
				}
			}
			else if (!address.equals(this.host)) {
				connect(address, now);
			}
		}

		private void connect(String address, long now) {
			// Connections to it in the past left their state.
			TowerConnections.this.connected.remove(outEndpoint(address));
			TowerConnections.this.connected.remove(inEndpoint(address));
			logger.debug("Connecting to the tower {} at {}", this.tower, address);
			try {
				TowerConnections.this.out.connect(outEndpoint(address));
				TowerConnections.this.in.connect(inEndpoint(address));
			}
			catch (ZMQException | IllegalArgumentException ex) {
				TowerConnections.this.out.disconnect(outEndpoint(address));
				if (this.warnings.permits(now)) {
					logger.warn(
							"Cannot connect to the tower {} at {}. Trying again every {} s. Similar messages left"
									+ " out: {}",
							this.tower, address, TimeUnit.NANOSECONDS.toSeconds(RETRY_NANOS),
							this.warnings.suppressed(), ex);
				}
				return;
			}
			this.former = this.host;
			this.host = address;
			this.connectedAt = now;
		}

		void disconnectFormer() {
			if (this.former != null) {
				TowerConnections.this.out.disconnect(outEndpoint(this.former));
				TowerConnections.this.in.disconnect(inEndpoint(this.former));
				this.former = null;
			}
		}

		/** The port where a tower takes beacons. */
		private String outEndpoint(String address) {
			return "tcp://" + address + ':' + this.tower.inPort();
		}

		private String inEndpoint(String address) {
			return "tcp://" + address + ':' + this.tower.outPort();
		}

	}

}
