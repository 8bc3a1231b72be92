package io.statestore.dafka.tower;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Options;
import io.statestore.dafka.Ticker;
import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.CurveOptions;
import io.statestore.dafka.node.Node;
import io.statestore.dafka.zmtp.CurveSecurity;
import io.statestore.dafka.zmtp.GuardedContext;
import io.statestore.dafka.zmtp.SocketLimits;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

/**
 * Relay for beacons, through which nodes find each other. A tower receives no records,
 * and nodes that have found each other continue without it. Several towers may run; each
 * node uses all towers in its options.
 * <p>
 * Each tower has one thread. All methods are thread-safe.
 */
public final class Tower implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(Tower.class);

	private static final int POLL_MILLIS = 100;

	/** Maximum size of each frame of a beacon. */
	private static final int MAX_BEACON = 1_024;

	private static final int MAX_FRAMES = 16;

	private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(10);

	private final GuardedContext context;

	private final ZMQ.Socket in;

	private final ZMQ.Socket out;

	private final BeaconRelay relay;

	private final TowerAddress address;

	private final CountDownLatch ended = new CountDownLatch(1);

	private volatile boolean closing;

	private volatile @Nullable Throwable failure;

	private Tower(Builder options) {
		boolean everywhere = options.bindHost.equals("*");
		String ownHost = (options.advertisedHost != null) ? options.advertisedHost
				: everywhere ? OwnAddress.find() : options.bindHost;
		CurveSecurity security = CurveSecurity.of(options.curve);
		this.context = new GuardedContext("dafka-tower", CONNECTION_TIMEOUT, Ticker.SYSTEM, security, () -> {
		});
		try {
			this.in = this.context.socket(SocketType.XSUB, SocketLimits.subscriber(MAX_BEACON, MAX_FRAMES)).socket();
			this.out = this.context.socket(SocketType.XPUB, SocketLimits.publisher(0)).socket();
			this.in.setLinger(0);
			this.out.setLinger(0);
			this.out.setXpubVerbose(true);
			int inPort = Node.bind(this.in, "bindHost", options.bindHost, "inPort", options.inPort);
			int outPort = Node.bind(this.out, "bindHost", options.bindHost, "outPort", options.outPort);
			this.address = new TowerAddress(everywhere ? "127.0.0.1" : options.bindHost, inPort, outPort);
			this.in.send(new byte[] { 1 });
			this.relay = new BeaconRelay(this.in, this.out, ownHost, security != null, Ticker.SYSTEM);
			this.context.watch(options.bindHost, inPort);
		}
		catch (RuntimeException ex) {
			this.context.close();
			throw ex;
		}
		Thread thread = new Thread(this::run, "dafka-tower");
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * Returns a builder with default options: all addresses, ports 5556 and 5557.
	 * @return a new builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Returns the address of this tower for nodes on this machine, with the bound ports.
	 * @return the address
	 */
	public TowerAddress address() {
		return this.address;
	}

	/**
	 * Returns the number of relayed beacons.
	 * @return number of beacons since the start
	 */
	public long beacons() {
		return this.relay.beacons();
	}

	/**
	 * Returns the number of dropped messages that are not beacons.
	 * @return number of messages since the start
	 */
	public long malformed() {
		return this.relay.malformed();
	}

	/**
	 * Returns how often a connection was closed or a message dropped because a peer
	 * violated ZMTP or exceeded a limit.
	 * @return number of refusals since the start
	 */
	public long refused() {
		return this.context.refusals();
	}

	/**
	 * Returns the failure that ended the tower, for health checks.
	 * @return the failure, or {@code null} while the tower works
	 */
	public @Nullable Throwable failure() {
		return this.failure;
	}

	/**
	 * Stops this tower. Idempotent. Waits at most 10 s. Nodes that have found each other
	 * are not affected.
	 */
	@Override
	public void close() {
		this.closing = true;
		try {
			this.ended.await(10, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void run() {
		try {
			ZMQ.Poller poller = this.context.poller(2);
			poller.register(this.in, ZMQ.Poller.POLLIN);
			poller.register(this.out, ZMQ.Poller.POLLIN);
			while (!this.closing && this.context.failure() == null) {
				poller.poll(POLL_MILLIS);
				this.relay.turn();
				this.context.tick();
			}
			this.failure = this.context.failure();
		}
		catch (Throwable ex) {
			this.failure = ex;
			logger.error("The tower failed. Close it and start another", ex);
		}
		finally {
			this.context.close();
			this.ended.countDown();
		}
	}

	/** Builder of a {@link Tower}. */
	public static final class Builder {

		private String bindHost = "*";

		private int inPort = TowerAddress.DEFAULT_IN_PORT;

		private int outPort = TowerAddress.DEFAULT_OUT_PORT;

		private @Nullable String advertisedHost;

		private @Nullable CurveOptions curve;

		private Builder() {
		}

		/**
		 * Sets the address to listen on, {@code *} by default for all addresses.
		 * @param bindHost the address
		 * @return this builder
		 */
		public Builder bindHost(String bindHost) {
			Options.requireHost("bindHost", bindHost);
			this.bindHost = bindHost;
			return this;
		}

		/**
		 * Sets the port that receives beacons from nodes, 5556 by default.
		 * @param inPort the port, 0 for a free one
		 * @return this builder
		 */
		public Builder inPort(int inPort) {
			Options.requirePort("inPort", inPort, 0);
			this.inPort = inPort;
			return this;
		}

		/**
		 * Sets the port that sends beacons to nodes, 5557 by default.
		 * @param outPort the port, 0 for a free one
		 * @return this builder
		 */
		public Builder outPort(int outPort) {
			Options.requirePort("outPort", outPort, 0);
			this.outPort = outPort;
			return this;
		}

		/**
		 * Sets the host that is announced for nodes on this machine which do not announce
		 * one themselves. By default, this is {@code bindHost} if it is set, otherwise
		 * the first address of this machine that is not a loopback address.
		 * @param advertisedHost host name or address
		 * @return this builder
		 */
		public Builder advertisedHost(String advertisedHost) {
			Options.requireHost("advertisedHost", advertisedHost);
			this.advertisedHost = advertisedHost;
			return this;
		}

		/**
		 * Sets the keys for encryption and authentication. The names of towers in the
		 * options do not matter.
		 * @param curve the keys, {@code null} by default for neither
		 * @return this builder
		 */
		public Builder curve(@Nullable CurveOptions curve) {
			this.curve = curve;
			return this;
		}

		/**
		 * Binds the ports and starts the tower.
		 * @return a running tower
		 * @throws io.statestore.dafka.DafkaException if a port cannot be bound
		 * @throws IllegalArgumentException if a file with keys is missing or malformed
		 */
		public Tower start() {
			return new Tower(this);
		}

	}

}
