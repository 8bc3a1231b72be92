package io.statestore.dafka.node.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

import io.statestore.dafka.DafkaException;
import io.statestore.dafka.NodeMetrics;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.Ticker;
import io.statestore.dafka.reading.internal.Machine;
import io.statestore.dafka.reading.internal.Subscriptions;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;
import zmq.Msg;
import zmq.SocketBase;

/**
 * Network side of a producer, consumer, or store. It owns a publisher socket for all
 * peers, a subscriber socket connected to all peers, and connections to the towers. A
 * thread passes what arrives to a {@link Machine}, in turns: it receives what has
 * arrived, lets the machine work, and waits.
 * <p>
 * All methods are thread-safe. Internal: not part of the API.
 *
 * @param <M> type of the machine
 */
public final class Node<M extends Machine> implements AutoCloseable {

	private static final long MAX_SLEEP_NANOS = 1_000_000_000;

	/** Maximum sleep with a clock that may jump while the thread sleeps. */
	private static final long MAX_SLEEP_OTHER_CLOCK_NANOS = 5_000_000;

	/** Maximum number of frames of a message. Longer messages count as malformed. */
	private static final int MAX_FRAMES = 16;

	/** Maximum time to close, in addition to the linger period of the sockets. */
	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

	private static final int MESSAGES_PER_TURN = 8_192;

	/** Subscriptions and other messages to the publisher that are read in a turn. */
	private static final int SUBSCRIPTIONS_PER_TURN = 1_024;

	/** Maximum duration of a turn. The rest counts as a pause. */
	private static final long MAX_TURN_NANOS = 500_000_000;

	private final NodeOptions options;

	private final GuardedContext context;

	private final Addresses addresses = new Addresses();

	private final ZMQ.Socket subscriber;

	private final PublisherOutput output;

	private final Peers peers;

	private final TowerLink towers;

	private final Waker waker;

	private final int port;

	private final M machine;

	private final ZMQ.Socket publisher;

	/** Size of the messages that wait in the subscriber. */
	private final QueuedBytes queued;

	private final LongAdder received = new LongAdder();

	private final LongAdder malformed = new LongAdder();

	/** Time when the latest turn began, or when its sleep was to end. */
	private long dueAt;

	/** Total duration of all pauses. */
	private long paused;

	/**
	 * Binds the port and starts the thread.
	 * @param name name of the thread
	 * @param options options of the node
	 * @param machines creates the machine for an output
	 * @throws DafkaException if the address cannot be bound
	 */
	public Node(String name, NodeOptions options, Function<Machine.Output, M> machines) {
		this(name, options, machines, HostResolver.SYSTEM);
	}

	/** Creates a node with a resolver for the names of towers. */
	Node(String name, NodeOptions options, Function<Machine.Output, M> machines, HostResolver resolver) {
		this.options = options;
		CurveSecurity security = CurveSecurity.of(options.curve(), options.towers().size());
		this.context = new GuardedContext(name, options.connectionTimeout(), options.ticker(), security, this::wake);
		try {
			this.publisher = this.context.socket(SocketType.XPUB, SocketLimits.publisher(options.socketBuffer()))
				.configure(options);
			this.publisher.setXpubVerbose(true);
			PeerConnections connections = new PeerConnections();
			GuardedSocket incoming = this.context.socket(SocketType.SUB,
					SocketLimits.subscriber((int) Math.min(options.maxMessageSize(), Integer.MAX_VALUE), MAX_FRAMES),
					connections::changed);
			this.subscriber = incoming.configure(options);
			this.queued = incoming.queued();
			// Otherwise close would wait for departed peers to receive subscriptions.
			this.subscriber.setLinger(0);
			this.port = bind(this.publisher, "bindHost", options.bindHost(), "bindPort", options.bindPort());
			// Not before the bind: JeroMQ 0.6.0 would set the size on the listening
			// socket, where the JDK refuses it.
			this.publisher.setSendBufferSize(options.socketBuffer());
			this.subscriber.setReceiveBufferSize(options.socketBuffer());
			this.output = new PublisherOutput(this.publisher, options.stallTimeout().toNanos());
			long now = options.ticker().nanos();
			this.peers = new Peers(this.subscriber, connections, this.addresses, options.peerTimeout().toNanos(),
					SocketLimits.maxConnections(options.socketBuffer()), options.highWaterMark(), security, now);
			this.towers = new TowerLink(this.context, options, this.port, this.peers, security, resolver, now);
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
		this.dueAt = options.ticker().nanos();
		// Starting the thread hands the sockets over to it.
		this.context.start(this::turn, this::end);
	}

	/**
	 * Returns a new random address, in the form of the reference implementation.
	 * @return 32 upper-case hexadecimal digits
	 */
	public static String newAddress() {
		return UUID.randomUUID().toString().replace("-", "").toUpperCase(Locale.ROOT);
	}

	/**
	 * Binds a socket.
	 * @param socket the socket
	 * @param hostOption name of the option for the host, for the message
	 * @param host host to bind to, {@code *} for all addresses
	 * @param portOption name of the option for the port, for the message
	 * @param port port to bind to, 0 for a free one
	 * @return the bound port
	 * @throws DafkaException if the address cannot be bound
	 */
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

	/**
	 * Returns the machine.
	 * @return the machine, which the thread of this node uses
	 */
	public M machine() {
		return this.machine;
	}

	/**
	 * Returns the port on which this node listens.
	 * @return the port
	 */
	public int port() {
		return this.port;
	}

	/** Wakes the thread, so that the machine reads its queues. */
	public void wake() {
		// An I/O thread may call this before the constructor has ended.
		Waker waker = this.waker;
		if (waker != null) {
			waker.wake();
		}
	}

	/**
	 * Returns the counters of this node.
	 * @return a snapshot
	 */
	public NodeMetrics metrics() {
		return new NodeMetrics(this.peers.size(), this.received.sum(), this.malformed.sum(), this.output.stalls(),
				this.output.dropped(), this.context.refusals());
	}

	/**
	 * Returns the failure that ended the thread.
	 * @return the failure, or {@code null} while the node works or after it was closed
	 */
	public @Nullable Throwable failure() {
		return this.context.failure();
	}

	/**
	 * Ends the thread and closes the sockets. Idempotent. Waits at most 10 s longer than
	 * the option {@code linger}; an interrupt restarts this time.
	 */
	@Override
	public void close() {
		this.context.stop(this.options.linger().plus(CLOSE_TIMEOUT));
	}

	private void end() {
		try {
			this.machine.closed();
		}
		finally {
			this.addresses.close();
			this.towers.close();
			this.waker.close();
		}
	}

	private void turn() {
		long now = beginTurn();
		this.output.turn(now);
		boolean more = receive(now);
		// Records have priority over towers and the check of connections.
		long next = this.machine.work(now);
		next = earlier(this.towers.work(now), next, now);
		this.context.tick();
		if (more || next - now <= 0) {
			return;
		}
		this.waker.aboutToSleep();
		// Handles records that were queued before. Further ones wake the thread.
		next = earlier(next, this.machine.work(now), now);
		long sleep = Math.min(next - now, isSystemClock() ? MAX_SLEEP_NANOS : MAX_SLEEP_OTHER_CLOCK_NANOS);
		if (this.output.isBlocked()) {
			sleep = Math.min(sleep, Machine.Output.RETRY_NANOS);
		}
		sleeping(sleep);
		this.waker.sleep(this.context.isStopping() ? 0 : sleep, this.machine.isFull() ? this.subscriber : null);
	}

	private static long earlier(long first, long second, long now) {
		return (first - now < second - now) ? first : second;
	}

	/**
	 * Receives what has arrived, up to a limit.
	 * @return whether there may be more
	 */
	private boolean receive(long now) {
		int subscriptions = receiveSubscriptions(now);
		int messages = receiveMessages(now);
		return messages == MESSAGES_PER_TURN || subscriptions == SUBSCRIPTIONS_PER_TURN;
	}

	private int receiveSubscriptions(long now) {
		for (int count = 0; count < SUBSCRIPTIONS_PER_TURN; count++) {
			byte[] prefix = this.publisher.recv(ZMQ.DONTWAIT);
			if (prefix == null) {
				return count;
			}
			if (prefix.length > 1 && prefix[0] == 1) {
				this.machine.subscribed(Arrays.copyOfRange(prefix, 1, prefix.length), now);
			}
			else if (prefix.length > 1 && prefix[0] == 0) {
				this.machine.unsubscribed(Arrays.copyOfRange(prefix, 1, prefix.length));
			}
		}
		return SUBSCRIPTIONS_PER_TURN;
	}

	private int receiveMessages(long now) {
		// Receives on the level below ZMQ.Socket, where each frame knows whether more
		// follow. ZMQ.Socket asks the socket for each frame.
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
		return messages;
	}

	/** Returns whether this is the clock of the system, which never jumps. */
	private boolean isSystemClock() {
		return this.options.ticker() == Ticker.SYSTEM;
	}

	/**
	 * Begins a turn, and returns the time without pauses of this process, such as a
	 * suspended machine. Otherwise all peers would seem late after a pause.
	 */
	private long beginTurn() {
		long nanos = this.options.ticker().nanos();
		if (isSystemClock()) {
			this.paused += Math.max(0, nanos - this.dueAt - MAX_TURN_NANOS);
		}
		this.dueAt = nanos;
		return nanos - this.paused;
	}

	/** Announces a sleep, which is no pause. */
	private void sleeping(long nanos) {
		this.dueAt += Math.max(0, nanos);
	}

}
