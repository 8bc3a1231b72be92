package io.statestore.dafka.node.internal;

import java.net.Inet4Address;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

import io.statestore.dafka.CurveOptions;
import io.statestore.dafka.Ticker;
import io.statestore.dafka.TowerAddress;
import org.jspecify.annotations.Nullable;

/**
 * Tower implementation: two sockets and a thread that relays each node's beacons to all
 * nodes, at a limited rate, and welcomes new subscribers. All methods are thread-safe.
 * Internal: not part of the API.
 */
public final class TowerServer implements AutoCloseable {

	private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/** Maximum number of beacons waiting for each node. */
	private static final int HIGH_WATER_MARK = 1_000;

	/** Maximum size of each frame in a beacon, in bytes. */
	private static final int MAX_BEACON = 1_024;

	private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(10);

	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

	/** Maximum number of subscriptions read per turn. */
	private static final int SUBSCRIPTIONS_PER_TURN = 1_024;

	/**
	 * Maximum number of beacons read per window, which allows 5,000 beacons per second.
	 * Each beacon causes work for all nodes, so a flood must be slowed down. Connections
	 * take turns.
	 */
	private static final int BEACONS_PER_WINDOW = 50;

	private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	/** Interval at which this machine's address is read. */
	private static final long OWN_HOST_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final Transport transport;

	private final Subscriber in;

	private final Publisher out;

	private final TowerAddress address;

	/** Reads the host announced instead of a loopback address. */
	private final Supplier<@Nullable String> ownHostReader;

	/**
	 * Host announced instead of a loopback address; {@code null} to announce loopback
	 * addresses.
	 */
	private @Nullable String ownHost;

	/** Time at which the host is read again, because an interface may have vanished. */
	private long readOwnHostAt = System.nanoTime();

	/** Whether nodes must announce the public key of their connection. */
	private final boolean curve;

	private final LongAdder beacons = new LongAdder();

	private final LongAdder malformed = new LongAdder();

	private long windowEnds = System.nanoTime();

	/** Number of beacons that may still be read in the current window. */
	private int left;

	/**
	 * Binds the ports and starts the thread.
	 * @param bindHost address to listen on, {@code *} for all
	 * @param inPort port that receives beacons, 0 for any free port
	 * @param outPort port that sends beacons, 0 for any free port
	 * @param advertisedHost host announced for nodes on this machine, {@code null} for
	 * the default
	 * @param curve keys for encryption and authentication, {@code null} for neither
	 * @throws io.statestore.dafka.DafkaException if a port cannot be bound
	 */
	public TowerServer(String bindHost, int inPort, int outPort, @Nullable String advertisedHost,
			@Nullable CurveOptions curve) {
		this(bindHost, inPort, outPort, (advertisedHost != null) ? () -> advertisedHost
				: bindHost.equals("*") ? TowerServer::ownAddress : () -> bindHost, curve);
	}

	/** Binds the ports and starts the thread, which reads the announced host. */
	TowerServer(String bindHost, int inPort, int outPort, Supplier<@Nullable String> ownHostReader,
			@Nullable CurveOptions curve) {
		boolean everywhere = bindHost.equals("*");
		this.ownHostReader = ownHostReader;
		this.curve = curve != null;
		CurveSecurity security = CurveSecurity.of(curve, 0);
		this.transport = new Transport("dafka-tower", CONNECTION_TIMEOUT, Ticker.SYSTEM, security);
		try {
			this.in = new Subscriber(this.transport, "XSUB", SocketLimits.subscriber(MAX_BEACON, 0),
					List.of(new byte[0]));
			this.out = new Publisher(this.transport, SocketLimits.publisher(HIGH_WATER_MARK, 0));
			int boundIn = this.in.bind("bindHost", bindHost, "inPort", inPort);
			int boundOut = this.out.bind("bindHost", bindHost, "outPort", outPort);
			this.address = new TowerAddress(everywhere ? "127.0.0.1" : bindHost, boundIn, boundOut);
		}
		catch (RuntimeException ex) {
			this.transport.close();
			throw ex;
		}
		this.transport.start(this::turn, () -> {
		}, Duration.ZERO);
	}

	/**
	 * Returns the address at which nodes on this machine reach this tower.
	 * @return an address with the bound ports
	 */
	public TowerAddress address() {
		return this.address;
	}

	/**
	 * Returns the number of relayed beacons.
	 * @return number since the start
	 */
	public long beacons() {
		return this.beacons.sum();
	}

	/**
	 * Returns how many messages were dropped because they are not valid beacons.
	 * @return number since the start
	 */
	public long malformed() {
		return this.malformed.sum();
	}

	/**
	 * Returns the number of times that a connection was closed or a message dropped
	 * because a peer violated ZMTP or exceeded a limit.
	 * @return number of refusals since the start
	 */
	public long refused() {
		return this.transport.refusals.total();
	}

	/**
	 * Returns the failure that stopped this tower, for health checks.
	 * @return the failure; {@code null} if there is none
	 */
	public @Nullable Throwable failure() {
		return this.transport.failure();
	}

	/**
	 * Stops this tower. Idempotent. Waits at most 10 s. Nodes that have found each other
	 * are not affected.
	 */
	@Override
	public void close() {
		this.transport.stop(CLOSE_TIMEOUT);
	}

	/**
	 * Handles what has arrived. Returns the time in nanoseconds until the next turn:
	 * until the next window if the current window is used up.
	 */
	private long turn() {
		welcome();
		relay();
		return (this.left == 0) ? this.windowEnds - System.nanoTime() : POLL_NANOS;
	}

	/**
	 * Welcomes new subscribers. The message goes to all subscribers, because a publisher
	 * cannot address a single subscriber; the others ignore it.
	 */
	private void welcome() {
		boolean requested = false;
		for (int i = 0; i < SUBSCRIPTIONS_PER_TURN; i++) {
			byte[][] message = this.out.receive();
			if (message == null) {
				break;
			}
			requested |= Arrays.equals(message[0], Beacons.WELCOME_SUBSCRIPTION);
		}
		if (requested) {
			this.out.send(Beacons.WELCOME);
		}
	}

	/** Relays beacons until none are left or the window is used up. */
	private void relay() {
		long now = System.nanoTime();
		if (now - this.windowEnds >= 0) {
			this.windowEnds = now + WINDOW_NANOS;
			this.left = BEACONS_PER_WINDOW;
		}
		for (; this.left > 0; this.left--) {
			byte[][] message = this.in.receive();
			if (message == null) {
				return;
			}
			Connection source = this.in.source();
			Beacons.Announcement announcement = Beacons.Announcement.of(List.of(message));
			if (announcement == null || (this.curve && !CurveSecurity.isOwn(announcement.id(), source.peer()))) {
				this.malformed.increment();
				continue;
			}
			String endpoint = "tcp://" + host(announcement, source) + ':' + announcement.port();
			this.out.send(new Beacons.Sighting(announcement.id(), endpoint).frames().toArray(new byte[0][]));
			this.beacons.increment();
		}
	}

	/**
	 * Returns the host to announce for a node: the host in its announcement or the
	 * address it sends from.
	 */
	private String host(Beacons.Announcement announcement, Connection source) {
		if (!announcement.host().isEmpty()) {
			return announcement.host();
		}
		String host = source.host();
		String own = isLoopback(host) ? ownHost() : null;
		return (own != null) ? own : host;
	}

	private @Nullable String ownHost() {
		long now = System.nanoTime();
		if (now - this.readOwnHostAt >= 0) {
			this.readOwnHostAt = now + OWN_HOST_NANOS;
			this.ownHost = this.ownHostReader.get();
		}
		return this.ownHost;
	}

	private static boolean isLoopback(String host) {
		return host.startsWith("127.") || host.equals("[0:0:0:0:0:0:0:1]");
	}

	/**
	 * Returns this machine's first IPv4 address that is neither a loopback nor a
	 * link-local address; {@code null} if there is none.
	 */
	private static @Nullable String ownAddress() {
		try {
			return NetworkInterface.networkInterfaces()
				.filter(TowerServer::isUp)
				.flatMap(NetworkInterface::inetAddresses)
				.filter((address) -> address instanceof Inet4Address && !address.isLoopbackAddress()
						&& !address.isLinkLocalAddress())
				.map((address) -> address.getHostAddress())
				.findFirst()
				.orElse(null);
		}
		catch (SocketException ex) {
			return null;
		}
	}

	private static boolean isUp(NetworkInterface network) {
		try {
			return network.isUp() && !network.isLoopback();
		}
		catch (SocketException ex) {
			return false;
		}
	}

}
