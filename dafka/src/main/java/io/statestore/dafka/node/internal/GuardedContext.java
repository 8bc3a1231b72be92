package io.statestore.dafka.node.internal;

import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.statestore.dafka.Ticker;
import io.statestore.dafka.internal.WarningLimit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZEvent;
import org.zeromq.ZMQ;

/**
 * ZeroMQ context of a node. Its sockets withstand hostile peers, which JeroMQ 0.6.0
 * trusts in several places (decision 16, hostile peers). An error of an I/O thread
 * becomes the {@link #failure()} of the node.
 * <p>
 * Each socket belongs to one thread, which creates it, or receives it when it starts. The
 * methods of this class are thread-safe, except for {@link #tick} and {@link #watch}.
 */
final class GuardedContext implements AutoCloseable {

	/**
	 * Maximum duration of a handshake, after which JeroMQ reconnects. JeroMQ 0.6.0
	 * sometimes does not monitor a new connection, so that the handshake never ends.
	 */
	private static final int HANDSHAKE_MILLIS = 2_000;

	/**
	 * ZAP domain (RFC 27). With a domain, but without an authentication service, JeroMQ
	 * refuses peers that use ZMTP 1 or 2. Their messages do not show their connection, so
	 * no limits can be applied to them.
	 */
	private static final String NO_OLD_PEERS = "dafka";

	private static final int EVENTS = ZMQ.EVENT_ACCEPTED | ZMQ.EVENT_CONNECTED | ZMQ.EVENT_DISCONNECTED
			| ZMQ.EVENT_HANDSHAKE_PROTOCOL;

	private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final Logger logger = LoggerFactory.getLogger(GuardedContext.class);

	/** Number of errors after which a thread ends, without closing its sockets. */
	private static final int MAX_ERRORS = 100;

	/** Number of exceptions in a second after which the node fails. */
	private static final int MAX_EXCEPTIONS = 10_000;

	private final ZContext context = new ZContext(1);

	final String name;

	final Duration connectionTimeout;

	final Ticker ticker;

	private final Runnable wake;

	final Refusals refusals;

	/** Keys of the node and its peers, {@code null} without CURVE. */
	final @Nullable CurveSecurity security;

	private final @Nullable CurveEngines engines;

	private final List<ConnectionGuard> guards = new CopyOnWriteArrayList<>();

	final IoThreadProbe.Ports probes = new IoThreadProbe.Ports();

	private final CountDownLatch ended = new CountDownLatch(1);

	private final WarningLimit warnings = new WarningLimit();

	private volatile boolean stopping;

	private volatile @Nullable Throwable failure;

	private @Nullable IoThreadProbe probe;

	private long sweepAt;

	/** Whether exceptions of I/O threads are expected. */
	private volatile boolean closing;

	private long secondEnds;

	/** Number of exceptions in the current second. */
	private int inSecond;

	/**
	 * Creates the context.
	 * @param name name of the node, for threads and the log
	 * @param connectionTimeout inactivity after which a connection is closed
	 * @param ticker clock for all limits of time
	 * @param security keys of the node and its peers, which this context closes, or
	 * {@code null} without CURVE
	 * @param wake wakes the thread of {@link #start} after {@link #failure()} was set, or
	 * to stop it; called by any thread
	 * @throws io.statestore.dafka.DafkaException with CURVE, if the version of JeroMQ is
	 * not supported
	 */
	public GuardedContext(String name, Duration connectionTimeout, Ticker ticker, @Nullable CurveSecurity security,
			Runnable wake) {
		this.security = security;
		this.engines = (security != null) ? engines(security) : null;
		this.name = name;
		this.connectionTimeout = connectionTimeout;
		this.ticker = ticker;
		this.wake = wake;
		this.refusals = new Refusals(ticker);
		this.sweepAt = ticker.nanos();
		this.secondEnds = ticker.nanos();
		this.context.setThreadFactor(this::createThread);
		this.context.setNotificationExceptionHandler(this::handleException);
	}

	/**
	 * Creates a socket.
	 * @param type type of the socket
	 * @param limits limits for its peers
	 * @return the socket, not yet bound or connected
	 */
	public GuardedSocket socket(SocketType type, SocketLimits limits) {
		return socket(type, limits, (event) -> {
		});
	}

	/**
	 * Creates a socket.
	 * @param type type of the socket
	 * @param limits limits for its peers
	 * @param observer called with connection events, on the I/O thread
	 * @return the socket, not yet bound or connected
	 */
	public GuardedSocket socket(SocketType type, SocketLimits limits, Consumer<ZEvent> observer) {
		ZMQ.Socket socket = this.context.createSocket(type);
		ConnectionGuard guard = new ConnectionGuard(type, limits, this, observer);
		socket.setMaxMsgSize(
				limits.maxMessageSize() + ((this.security != null) ? (long) CurveHandshake.FRAME_OVERHEAD : 0));
		if (this.security != null) {
			requestCurve(socket);
		}
		socket.setMsgAllocator(guard);
		socket.setEventHook(guard, EVENTS);
		socket.setZapDomain(NO_OLD_PEERS);
		socket.setHandshakeIvl(HANDSHAKE_MILLIS);
		// Without heartbeats, a subscriber would never detect a dead connection,
		// because it sends nothing. JeroMQ 0.6.0 ignores a timeout that is longer
		// than the interval.
		int timeout = (int) this.connectionTimeout.toMillis();
		socket.setHeartbeatIvl(timeout / 2);
		socket.setHeartbeatTimeout(timeout * 3 / 8);
		this.guards.add(guard);
		return new GuardedSocket(socket, guard.queued());
	}

	private static CurveEngines engines(CurveSecurity security) {
		try {
			return new CurveEngines();
		}
		catch (RuntimeException ex) {
			security.close();
			throw ex;
		}
	}

	/**
	 * Lets JeroMQ request CURVE in its greetings, with keys that are never used, because
	 * {@link #secure} replaces its implementation.
	 */
	private static void requestCurve(ZMQ.Socket socket) {
		CurveKeyPair unused = CurveKeyPair.generate();
		socket.setCurvePublicKey(unused.publicKey().unwrap());
		socket.setCurveSecretKey(unused.secretKey());
		socket.setCurveServerKey(unused.publicKey().unwrap());
	}

	/** Installs CURVE in connections that have just been greeted. On the I/O thread. */
	void secure() {
		if (this.engines == null) {
			return;
		}
		try {
			this.engines.replace(currentPoller(), this::handshake);
		}
		catch (RuntimeException | Error ex) {
			fail(ex);
		}
	}

	private CurveHandshake handshake(SocketChannel channel) {
		for (ConnectionGuard guard : this.guards) {
			CurveHandshake handshake = guard.handshake(channel);
			if (handshake != null) {
				return handshake;
			}
		}
		// The peer had left before its address was known.
		Connection connection = new Connection(channel, "", "", true, this.ticker.nanos());
		connection.close();
		return this.guards.get(0).handshake(connection);
	}

	/**
	 * Starts to check whether the I/O thread answers connections to a port.
	 * @param host host that a socket is bound to, {@code *} for all addresses
	 * @param port port that a socket is bound to
	 */
	public void watch(String host, int port) {
		this.probe = new IoThreadProbe(host, port, this.probes);
	}

	/**
	 * Starts the thread of the node. It repeats a turn until it is stopped, or fails, or
	 * an I/O thread fails. Then it closes this context.
	 * @param turn the work to repeat
	 * @param end called by the thread before it closes this context
	 */
	void start(Runnable turn, Runnable end) {
		Thread thread = new Thread(() -> run(turn, end), this.name);
		thread.setDaemon(true);
		thread.start();
	}

	private void run(Runnable turn, Runnable end) {
		try {
			while (!this.stopping && this.failure == null) {
				turn.run();
			}
		}
		catch (Throwable ex) {
			this.failure = ex;
			logger.error("{} failed. Close it and start another", this.name, ex);
		}
		try {
			end.run();
		}
		catch (RuntimeException ex) {
			logger.error("Closing {} failed", this.name, ex);
		}
		finally {
			close();
			this.ended.countDown();
		}
	}

	boolean isStopping() {
		return this.stopping;
	}

	/**
	 * Stops the thread of the node, and waits until it has closed this context. An
	 * interrupt restarts the time to wait.
	 * @param timeout maximum time to wait
	 */
	void stop(Duration timeout) {
		this.stopping = true;
		this.wake.run();
		boolean interrupted = false;
		boolean waiting = true;
		while (waiting) {
			try {
				this.ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
				waiting = false;
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Closes silent connections and checks the I/O thread, at most once a second. Called
	 * by the thread of the node.
	 */
	public void tick() {
		long now = this.ticker.nanos();
		if (now - this.sweepAt < 0) {
			return;
		}
		this.sweepAt = now + SWEEP_NANOS;
		this.guards.forEach(ConnectionGuard::sweep);
		if (this.probe != null && !this.probe.check()) {
			fail(new IllegalStateException("The I/O thread of " + this.name + " has not answered a connection for "
					+ IoThreadProbe.MAX_CHECKS + " s"));
		}
	}

	/**
	 * Returns the first error of an I/O thread, or of the thread of {@link #start}.
	 * @return the error, or {@code null} if there is none
	 */
	public @Nullable Throwable failure() {
		return this.failure;
	}

	/**
	 * Returns how often a connection was closed or a message dropped because of a limit.
	 * @return number of refusals since the start
	 */
	public long refusals() {
		return this.refusals.total();
	}

	/**
	 * Returns a poller for sockets of this context.
	 * @param size number of sockets
	 * @return the poller
	 */
	public ZMQ.Poller poller(int size) {
		return this.context.createPoller(size);
	}

	void fail(Throwable failure) {
		if (this.failure == null && !this.closing) {
			this.failure = failure;
			this.wake.run();
			logger.error("The network thread of {} failed. Close the node and start another", this.name, failure);
		}
	}

	/** Closes all sockets. Waits for the end of their linger periods. */
	@Override
	public void close() {
		// Closing the context causes further exceptions.
		this.closing = true;
		if (this.probe != null) {
			this.probe.close();
		}
		this.context.close();
		if (this.security != null) {
			this.security.close();
		}
	}

	/** Returns the poller of the current thread, which must be an I/O thread. */
	private static Runnable currentPoller() {
		return ((IoThread) Thread.currentThread()).poller;
	}

	/** Creates a thread for a poller of JeroMQ. */
	private Thread createThread(Runnable poller, String threadName) {
		Thread thread = new IoThread(() -> run(poller), this.name + '-' + threadName, poller);
		thread.setDaemon(true);
		return thread;
	}

	/** Runs a poller. Continues after errors, because close waits for the poller. */
	private void run(Runnable poller) {
		for (int errors = 0; errors < MAX_ERRORS; errors++) {
			try {
				poller.run();
				return;
			}
			catch (Throwable ex) {
				fail(ex);
			}
		}
	}

	/** Handles an exception after which JeroMQ continues. */
	private synchronized void handleException(Thread thread, Throwable exception) {
		if (this.closing) {
			return;
		}
		long now = this.ticker.nanos();
		this.warnings.warn(logger, now, "Unexpected exception in {}; continuing", thread.getName(), exception);
		if (now - this.secondEnds >= 0) {
			this.secondEnds = now + TimeUnit.SECONDS.toNanos(1);
			this.inSecond = 0;
		}
		this.inSecond++;
		if (this.inSecond == MAX_EXCEPTIONS) {
			fail(exception);
		}
	}

	private static final class IoThread extends Thread {

		private final Runnable poller;

		IoThread(Runnable task, String name, Runnable poller) {
			super(task, name);
			this.poller = poller;
		}

	}

}
