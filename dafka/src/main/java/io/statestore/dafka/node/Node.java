package io.statestore.dafka.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

import io.statestore.dafka.DafkaException;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.Ticker;
import io.statestore.dafka.zmtp.GuardedContext;
import io.statestore.dafka.zmtp.GuardedSocket;
import io.statestore.dafka.zmtp.QueuedBytes;
import io.statestore.dafka.zmtp.SocketLimits;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;
import zmq.Msg;
import zmq.SocketBase;

/**
 * A node: one thread that owns a publisher that others connect to, a subscriber connected
 * to all others, and the links to the towers. It gives what arrives to a {@link Machine},
 * in turns: receive as much as is there, let the machine work, wait.
 */
public final class Node implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(Node.class);

	private static final int MESSAGES_PER_TURN = 8_192;

	/** How soon a refused message is offered again: nothing tells when there is room. */
	private static final long RETRY_NANOS = 1_000_000;

	private static final long LONGEST_SLEEP_NANOS = 1_000_000_000;

	/** Another clock than the system's may jump while the thread waits. */
	private static final long LONGEST_SLEEP_OTHER_CLOCK_NANOS = 5_000_000;

	/**
	 * Time that a turn may take. The rest counts as a pause of this process, in which
	 * peers are not late.
	 */
	private static final long MAX_TURN_NANOS = 500_000_000;

	/** Frames of a message that are received, so that longer ones count as malformed. */
	private static final int MAX_FRAMES = 16;

	/** Subscriptions and other messages to the publisher that are read in a turn. */
	private static final int SUBSCRIPTIONS_PER_TURN = 1_024;

	private final NodeOptions options;

	private final Ticker ticker;

	private final GuardedContext context;

	private final Addresses addresses = new Addresses();

	private final ZMQ.Socket publisher;

	private final ZMQ.Socket subscriber;

	private final QueuedBytes queued;

	private final PublisherOutput output;

	private final Peers peers;

	private final TowerLink towers;

	private final Waker waker;

	private final LongAdder received = new LongAdder();

	private final LongAdder malformed = new LongAdder();

	private final int port;

	private final Machine machine;

	private final Thread thread;

	private final CountDownLatch ended = new CountDownLatch(1);

	/** When the latest turn began, or its sleep was to end. */
	private long dueAt;

	/** Total of the pauses of this process. */
	private long paused;

	private volatile boolean closing;

	private volatile @Nullable Throwable failure;

	/**
	 * Binds and starts.
	 * @param name of the thread
	 * @param machines makes the machine once there is an output
	 * @throws DafkaException if the address cannot be bound
	 */
	public Node(String name, NodeOptions options, Function<Output, Machine> machines) {
		this(name, options, machines, HostResolver.SYSTEM);
	}

	/** Binds and starts, with a resolver for the names of towers. */
	Node(String name, NodeOptions options, Function<Output, Machine> machines, HostResolver resolver) {
		this.options = options;
		this.ticker = options.ticker();
		this.context = new GuardedContext(name, options.connectionTimeout(), this::wake);
		try {
			this.publisher = configured(
					this.context.socket(SocketType.XPUB, SocketLimits.publisher(options.socketBuffer())), options);
			this.publisher.setXpubVerbose(true);
			PeerConnections connections = new PeerConnections();
			GuardedSocket incoming = this.context.socket(SocketType.SUB,
					SocketLimits.subscriber((int) Math.min(options.maxMessageSize(), Integer.MAX_VALUE), MAX_FRAMES),
					connections::changed);
			this.subscriber = configured(incoming, options);
			this.queued = incoming.queued();
			// Or closing would wait for peers that are gone to take the subscriptions.
			this.subscriber.setLinger(0);
			this.port = bind(this.publisher, "bindHost", options.bindHost(), "bindPort", options.bindPort());
			// So much is written and read at once. Not before the bind: JeroMQ 0.6.0
			// would
			// set it on the listening socket, where the JDK refuses it.
			this.publisher.setSendBufferSize(options.socketBuffer());
			this.subscriber.setReceiveBufferSize(options.socketBuffer());
			this.output = new PublisherOutput(this.publisher, options.stallTimeout().toNanos());
			this.peers = new Peers(this.subscriber, connections, this.addresses, options.peerTimeout().toNanos(),
					SocketLimits.maxConnections(options.socketBuffer()), options.highWaterMark(), this.ticker.nanos());
			this.towers = new TowerLink(this.context, options, this.port, this.peers, resolver, this.ticker.nanos());
			this.machine = machines.apply(this.output);
			this.machine.subscriptions().forEach(this.subscriber::subscribe);
			List<ZMQ.Socket> sockets = new ArrayList<>(List.of(this.subscriber, this.publisher));
			sockets.addAll(this.towers.sockets());
			this.waker = new Waker(sockets);
			this.context.watch(options.bindHost(), this.port);
		}
		catch (RuntimeException ex) {
			this.context.close();
			throw ex;
		}
		this.dueAt = this.ticker.nanos();
		// The sockets were made here; starting the thread hands them over.
		this.thread = new Thread(this::run, name);
		this.thread.setDaemon(true);
		this.thread.start();
	}

	/** An address for a node: 32 upper-case hexadecimal digits. */
	public static String newAddress() {
		return TowerLink.newAddress();
	}

	/** Binds a socket; the names are those of the options, for the message. */
	public static int bind(ZMQ.Socket socket, String hostOption, String host, String portOption, int port) {
		try {
			socket.bind("tcp://" + host + ':' + ((port != 0) ? port : "*"));
			String endpoint = socket.getLastEndpoint();
			return Integer.parseInt(endpoint.substring(endpoint.lastIndexOf(':') + 1));
		}
		catch (ZMQException | IllegalArgumentException ex) {
			throw new DafkaException("Cannot listen on '" + hostOption + "' " + host + ", '" + portOption + "' " + port
					+ " (" + ex.getMessage() + "): choose an address of this machine and a port that is free", ex);
		}
	}

	static ZMQ.Socket configured(GuardedSocket guarded, NodeOptions options) {
		ZMQ.Socket socket = guarded.socket();
		socket.setHWM(options.highWaterMark());
		socket.setLinger((int) options.linger().toMillis());
		socket.setReconnectIVL(100);
		socket.setReconnectIVLMax(2_000);
		return socket;
	}

	/** The port on which others reach this node. */
	public int port() {
		return this.port;
	}

	/** Ends waiting, so that the machine looks at its queues. */
	public void wake() {
		// An I/O thread may call this before the constructor has ended.
		Waker waker = this.waker;
		if (waker != null) {
			waker.wake();
		}
	}

	/** What a node counts. */
	public NodeMetrics metrics() {
		return new NodeMetrics(this.peers.size(), this.received.sum(), this.malformed.sum(), this.output.stalls(),
				this.output.dropped(), this.context.refusals());
	}

	/** What ended the thread, {@code null} as long as nothing did but close. */
	public @Nullable Throwable failure() {
		return this.failure;
	}

	/**
	 * Ends the thread and closes the sockets. Idempotent; waits at most linger and 10 s.
	 */
	@Override
	public void close() {
		this.closing = true;
		this.waker.wake();
		boolean interrupted = false;
		Duration patience = this.options.linger().plusSeconds(10);
		for (long end = System.nanoTime() + patience.toNanos(); System.nanoTime() < end;) {
			try {
				if (this.ended.await(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
					break;
				}
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	private void run() {
		try {
			while (!this.closing && this.context.failure() == null) {
				turn();
			}
			this.failure = this.context.failure();
		}
		catch (Throwable ex) {
			this.failure = ex;
			logger.error("{} ends because of a failure; close it and start another", this.thread.getName(), ex);
		}
		finally {
			end();
		}
	}

	private void end() {
		try {
			this.machine.closed();
		}
		catch (RuntimeException ex) {
			logger.error("{} did not close as it should", this.thread.getName(), ex);
		}
		finally {
			this.addresses.close();
			this.towers.close();
			this.waker.close();
			this.context.close();
			this.ended.countDown();
		}
	}

	private void turn() {
		long now = now();
		this.output.turn(now);
		boolean more = receive(now);
		// Records first: towers can wait, and connections are checked once a second.
		long next = this.machine.work(now);
		next = earlier(this.towers.work(now), next, now);
		this.context.tick();
		if (more || next - now <= 0) {
			return;
		}
		this.waker.aboutToSleep();
		// What came in between is seen now, what comes later writes to the pipe.
		next = earlier(next, this.machine.work(now), now);
		long sleep = Math.min(next - now,
				(this.ticker == Ticker.SYSTEM) ? LONGEST_SLEEP_NANOS : LONGEST_SLEEP_OTHER_CLOCK_NANOS);
		if (this.output.isBlocked()) {
			sleep = Math.min(sleep, RETRY_NANOS);
		}
		this.dueAt += Math.max(0, sleep);
		this.waker.sleep(this.closing ? 0 : sleep, this.machine.isFull() ? this.subscriber : null);
	}

	/**
	 * Returns the time without pauses of this process, such as in a machine that is
	 * suspended. Otherwise all peers would seem late after it.
	 */
	private long now() {
		long nanos = this.ticker.nanos();
		if (this.ticker == Ticker.SYSTEM) {
			this.paused += Math.max(0, nanos - this.dueAt - MAX_TURN_NANOS);
		}
		this.dueAt = nanos;
		return nanos - this.paused;
	}

	/** Whether there may be more. */
	private boolean receive(long now) {
		int prefixes = 0;
		while (prefixes < SUBSCRIPTIONS_PER_TURN) {
			byte[] prefix = this.publisher.recv(ZMQ.DONTWAIT);
			if (prefix == null) {
				break;
			}
			prefixes++;
			if (prefix.length > 1 && prefix[0] == 1) {
				this.machine.subscribed(Arrays.copyOfRange(prefix, 1, prefix.length), now);
			}
			else if (prefix.length > 1 && prefix[0] == 0) {
				this.machine.unsubscribed(Arrays.copyOfRange(prefix, 1, prefix.length));
			}
		}
		// One level below the usual interface: there each frame asks the socket whether
		// more follow.
		SocketBase incoming = this.subscriber.base();
		long arrived = this.queued.arrived();
		long bytes = 0;
		int messages = 0;
		boolean empty = false;
		while (messages < MESSAGES_PER_TURN && !this.machine.isFull()) {
			Msg frame = incoming.recv(ZMQ.DONTWAIT);
			if (frame == null) {
				this.queued.empty(arrived);
				empty = true;
				break;
			}
			messages++;
			byte[] header = frame.data();
			byte[] content = null;
			boolean valid = true;
			bytes += header.length;
			for (int rest = 0; frame.hasMore(); rest++) {
				frame = incoming.recv(0);
				content = frame.data();
				bytes += content.length;
				valid = rest == 0;
			}
			if (!valid || !this.machine.received(header, content, now)) {
				this.malformed.increment();
			}
		}
		if (messages > 0 || empty) {
			this.peers.received(messages, empty);
		}
		this.queued.received(bytes);
		this.received.add(messages);
		return messages == MESSAGES_PER_TURN || prefixes == SUBSCRIPTIONS_PER_TURN;
	}

	private static long earlier(long first, long second, long now) {
		return (first - now < second - now) ? first : second;
	}

}
