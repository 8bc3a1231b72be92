package io.statestore.dafka.zmtp;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZEvent;
import org.zeromq.ZMQ;

/**
 * ZeroMQ context of a node. All its sockets withstand hostile peers, and an error of an
 * I/O thread becomes the {@link #failure()} of the node.
 * <p>
 * JeroMQ 0.6.0 trusts its peers in several places (decision 16, hostile peers). Each
 * socket belongs to one thread, which creates it or receives it before it starts. The
 * other methods are thread-safe.
 */
public final class GuardedContext implements AutoCloseable {

	/**
	 * Maximum time of a handshake. JeroMQ 0.6.0 sometimes fails to monitor a connection
	 * that it has just established; after this time it reconnects.
	 */
	private static final int HANDSHAKE_MILLIS = 2_000;

	/**
	 * ZAP domain. With a domain, but without an authentication service, JeroMQ refuses
	 * peers that speak ZMTP 1 or 2. It does not report the connection of their messages.
	 */
	private static final String NO_OLD_PEERS = "dafka";

	private static final int EVENTS = ZMQ.EVENT_ACCEPTED | ZMQ.EVENT_CONNECTED | ZMQ.EVENT_DISCONNECTED
			| ZMQ.EVENT_HANDSHAKE_PROTOCOL;

	private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final Logger logger = LoggerFactory.getLogger(GuardedContext.class);

	private final ZContext context = new ZContext(1);

	private final String name;

	private final Duration connectionTimeout;

	private final Runnable failed;

	private final Refusals refusals = new Refusals();

	private final List<Connections> connections = new CopyOnWriteArrayList<>();

	private final IoThreads threads;

	private volatile @Nullable Throwable failure;

	private @Nullable IoThreadProbe probe;

	private long sweepAt = System.nanoTime();

	/**
	 * Creates the context.
	 * @param name name of the node, for threads and the log
	 * @param connectionTimeout inactivity after which a connection is closed
	 * @param failed called after {@link #failure()} was set
	 */
	public GuardedContext(String name, Duration connectionTimeout, Runnable failed) {
		this.name = name;
		this.connectionTimeout = connectionTimeout;
		this.failed = failed;
		this.threads = new IoThreads(name, this::fail);
		this.context.setThreadFactor(this.threads::create);
		this.context.setNotificationExceptionHandler(this.threads::exception);
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
		Connections connections = new Connections(this.name + ' ' + type, limits, this.refusals,
				this.connectionTimeout);
		ConnectionGuard guard = new ConnectionGuard(limits, connections, observer, this::fail);
		socket.setMaxMsgSize(limits.maxMessageSize());
		socket.setMsgAllocator(guard);
		socket.setEventHook(guard, EVENTS);
		socket.setZapDomain(NO_OLD_PEERS);
		socket.setHandshakeIvl(HANDSHAKE_MILLIS);
		// A subscriber sends nothing by itself, so it would never detect a dead
		// connection. JeroMQ 0.6.0 ignores a timeout that is longer than the
		// interval.
		int timeout = (int) this.connectionTimeout.toMillis();
		socket.setHeartbeatIvl(timeout / 2);
		socket.setHeartbeatTimeout(timeout * 3 / 8);
		this.connections.add(connections);
		return new GuardedSocket(socket, guard.queued());
	}

	/**
	 * Starts to check whether connections to a port of this context are answered.
	 * @param host host that a socket is bound to, {@code *} for all
	 * @param port port that a socket is bound to
	 */
	public void watch(String host, int port) {
		this.probe = new IoThreadProbe(host, port);
	}

	/**
	 * Closes silent connections and checks the I/O thread, at most once a second. Called
	 * by the thread of the node.
	 */
	public void tick() {
		long now = System.nanoTime();
		if (now - this.sweepAt < 0) {
			return;
		}
		this.sweepAt = now + SWEEP_NANOS;
		this.connections.forEach((connections) -> connections.sweep(now));
		if (this.probe != null && !this.probe.check()) {
			fail(new IllegalStateException("The I/O thread of " + this.name + " has not answered a connection for "
					+ IoThreadProbe.MAX_CHECKS + " s"));
		}
	}

	/**
	 * Returns the error that ended an I/O thread.
	 * @return the error, {@code null} while the threads work
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

	private void fail(Throwable failure) {
		if (this.failure == null) {
			this.failure = failure;
			this.failed.run();
			logger.error("{} fails because of its network thread. Close it and start another", this.name, failure);
		}
	}

	/** Closes all sockets, and waits for the end of their linger periods. */
	@Override
	public void close() {
		this.threads.closing();
		if (this.probe != null) {
			this.probe.close();
		}
		this.context.close();
	}

}
