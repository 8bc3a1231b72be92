package io.statestore.dafka.node.internal;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.CurveOptions;
import io.statestore.dafka.Ticker;
import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.internal.Options;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

/**
 * Tower: two sockets, and a thread that relays beacons. All methods are thread-safe.
 * Internal: not part of the API.
 */
public final class TowerServer implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(TowerServer.class);

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

	/**
	 * Binds the ports and starts the thread.
	 * @param bindHost address to listen on, {@code *} for all
	 * @param inPort port that receives beacons, 0 for a free one
	 * @param outPort port that sends beacons, 0 for a free one
	 * @param advertisedHost host announced for nodes on this machine, {@code null} for
	 * the default
	 * @param curve keys for encryption and authentication, {@code null} for neither
	 * @throws io.statestore.dafka.DafkaException if a port cannot be bound
	 */
	public TowerServer(String bindHost, int inPort, int outPort, @Nullable String advertisedHost,
			@Nullable CurveOptions curve) {
		boolean everywhere = bindHost.equals("*");
		String ownHost = (advertisedHost != null) ? advertisedHost : everywhere ? OwnAddress.find() : bindHost;
		CurveSecurity security = CurveSecurity.of(curve, 0);
		this.context = new GuardedContext("dafka-tower", CONNECTION_TIMEOUT, Ticker.SYSTEM, security, () -> {
		});
		try {
			this.in = this.context.socket(SocketType.XSUB, SocketLimits.subscriber(MAX_BEACON, MAX_FRAMES)).socket();
			this.out = this.context.socket(SocketType.XPUB, SocketLimits.publisher(0)).socket();
			this.in.setLinger(0);
			this.out.setLinger(0);
			this.out.setXpubVerbose(true);
			int boundIn = Node.bind(this.in, "bindHost", bindHost, "inPort", inPort);
			int boundOut = Node.bind(this.out, "bindHost", bindHost, "outPort", outPort);
			this.address = new TowerAddress(everywhere ? "127.0.0.1" : bindHost, boundIn, boundOut);
			this.in.send(new byte[] { 1 });
			this.relay = new BeaconRelay(this.in, this.out, ownHost, security != null, Ticker.SYSTEM);
			this.context.watch(bindHost, boundIn);
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

}
