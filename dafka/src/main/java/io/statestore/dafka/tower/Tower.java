package io.statestore.dafka.tower;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

import io.statestore.dafka.Options;
import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.node.Frames;
import io.statestore.dafka.node.Node;
import io.statestore.dafka.wire.Beacons;
import io.statestore.dafka.zmtp.GuardedContext;
import io.statestore.dafka.zmtp.SocketLimits;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;
import zmq.Msg;
import zmq.io.Metadata;

/**
 * Relay for the beacons of nodes, through which they find each other. A tower sees no
 * records, and nodes that have found each other continue without it. Several towers may
 * run; nodes use all configured ones.
 * <p>
 * Each tower has one thread. All methods are thread-safe.
 */
public final class Tower implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(Tower.class);

	private static final int POLL_MILLIS = 100;

	/** Maximum size of each frame of a beacon. */
	private static final int MAX_BEACON = 1_024;

	private static final int MAX_FRAMES = 16;

	/** Subscriptions that are handled before beacons have a turn. */
	private static final int SUBSCRIPTIONS_PER_TURN = 1_024;

	/**
	 * Maximum number of beacons that are read in a window, 5,000 a second. Each of them
	 * is work for all nodes, so a flood must not go through at full speed. Connections
	 * take turns.
	 */
	private static final int BEACONS_PER_WINDOW = 50;

	private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(10);

	private final GuardedContext context = new GuardedContext("dafka-tower", CONNECTION_TIMEOUT, () -> {
	});

	private final ZMQ.Socket in;

	private final ZMQ.Socket out;

	/** Host announced instead of a loopback address. */
	private final @Nullable String ownHost;

	private final TowerAddress address;

	private final LongAdder beacons = new LongAdder();

	private final LongAdder malformed = new LongAdder();

	private final CountDownLatch ended = new CountDownLatch(1);

	/** End of the current window. */
	private long windowEnds = System.nanoTime();

	/** Beacons that may still be read in the current window. */
	private int left;

	private volatile boolean closing;

	private volatile @Nullable Throwable failure;

	private Tower(Builder options) {
		boolean everywhere = options.bindHost.equals("*");
		this.ownHost = (options.advertisedHost != null) ? options.advertisedHost
				: everywhere ? OwnAddress.find() : options.bindHost;
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
	 * Returns the address for nodes on this machine, with the bound ports.
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
		return this.beacons.sum();
	}

	/**
	 * Returns the number of dropped messages that are not beacons.
	 * @return number of messages since the start
	 */
	public long malformed() {
		return this.malformed.sum();
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
	 * @return the failure, {@code null} while the tower works
	 */
	public @Nullable Throwable failure() {
		return this.failure;
	}

	/** Stops. Idempotent. Nodes that have found each other are not affected. */
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
				welcome();
				relay();
				this.context.tick();
				if (this.left == 0) {
					LockSupport.parkNanos(this.windowEnds - System.nanoTime());
				}
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

	/**
	 * Welcomes new subscribers. The message goes to all subscribers, because a publisher
	 * cannot address a single one; others ignore it.
	 */
	private void welcome() {
		boolean asked = false;
		for (int i = 0; i < SUBSCRIPTIONS_PER_TURN; i++) {
			byte[] message = this.out.recv(ZMQ.DONTWAIT);
			if (message == null) {
				break;
			}
			asked |= message.length > 1 && message[0] == 1
					&& Beacons.asksForWelcome(Arrays.copyOfRange(message, 1, message.length));
		}
		if (asked) {
			this.out.send(Beacons.welcome());
		}
	}

	/** Passes on beacons until there are no more, or the window has no room for more. */
	private void relay() {
		long now = System.nanoTime();
		if (now - this.windowEnds >= 0) {
			this.windowEnds = now + WINDOW_NANOS;
			this.left = BEACONS_PER_WINDOW;
		}
		for (; this.left > 0; this.left--) {
			Msg first = this.in.base().recv(ZMQ.DONTWAIT);
			if (first == null) {
				return;
			}
			List<byte[]> frames = Frames.rest(this.in, first.data());
			Beacons.Announcement announcement = Beacons.Announcement.of(frames);
			String host = (announcement != null) ? host(announcement, first) : null;
			if (announcement == null || host == null) {
				this.malformed.increment();
				continue;
			}
			Frames.send(this.out,
					new Beacons.Sighting(announcement.id(), "tcp://" + host + ':' + announcement.port()).frames());
			this.beacons.increment();
		}
	}

	private @Nullable String host(Beacons.Announcement announcement, Msg message) {
		if (!announcement.host().isEmpty()) {
			return announcement.host();
		}
		Metadata metadata = message.getMetadata();
		String peer = (metadata != null) ? metadata.get(Metadata.PEER_ADDRESS) : null;
		if (peer == null) {
			return null;
		}
		String host = withoutPort(peer);
		return (isLoopback(host) && this.ownHost != null) ? this.ownHost : host;
	}

	static String withoutPort(String peer) {
		int colon = peer.lastIndexOf(':');
		boolean bareV6 = peer.indexOf(':') != colon && !peer.startsWith("[");
		return (colon < 0 || bareV6 || peer.endsWith("]")) ? peer : peer.substring(0, colon);
	}

	private static boolean isLoopback(String host) {
		return host.startsWith("127.") || host.equals("[::1]") || host.equals("::1");
	}

	/** Builder of a {@link Tower}. */
	public static final class Builder {

		private String bindHost = "*";

		private int inPort = TowerAddress.DEFAULT_IN_PORT;

		private int outPort = TowerAddress.DEFAULT_OUT_PORT;

		private @Nullable String advertisedHost;

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
		 * The address that others are told for nodes on the machine of the tower that
		 * name none themselves; by default the first address of this machine that is not
		 * loopback, or {@code bindHost} if that is set.
		 */
		public Builder advertisedHost(String advertisedHost) {
			Options.requireHost("advertisedHost", advertisedHost);
			this.advertisedHost = advertisedHost;
			return this;
		}

		/**
		 * Binds and starts.
		 * @throws io.statestore.dafka.DafkaException if a port cannot be bound
		 */
		public Tower start() {
			return new Tower(this);
		}

	}

}
