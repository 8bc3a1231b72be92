package io.statestore.dafka.node.internal;

import java.time.Duration;
import java.util.Arrays;
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

/**
 * Network side of a producer, consumer, or store. It owns a publisher socket for all
 * peers, a subscriber socket connected to all peers, and connections to the towers. A
 * thread passes messages to a {@link Machine}, in turns: it receives what has arrived,
 * lets the machine work, and waits.
 * <p>
 * All methods are thread-safe. Internal: not part of the API.
 *
 * @param <M> type of the machine
 */
public final class Node<M extends Machine> implements AutoCloseable {

	private static final long MAX_SLEEP_NANOS = 1_000_000_000;

	/** Maximum sleep with a clock that may jump, such as a test clock, in nanoseconds. */
	private static final long MAX_SLEEP_OTHER_CLOCK_NANOS = 5_000_000;

	/** How long closing may take, in addition to the {@code linger} option. */
	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

	private static final int MESSAGES_PER_TURN = 8_192;

	/**
	 * Maximum number of subscriptions and other messages to the publisher read per turn.
	 */
	private static final int SUBSCRIPTIONS_PER_TURN = 1_024;

	/** How long a turn may last; any excess counts as a pause. */
	private static final long MAX_TURN_NANOS = 500_000_000;

	private final NodeOptions options;

	private final Transport transport;

	private final Subscriber subscriber;

	private final PublisherOutput output;

	private final Peers peers;

	private final TowerLink towers;

	private final int port;

	private final M machine;

	private final Publisher publisher;

	private final LongAdder malformed = new LongAdder();

	/** Time when the latest turn began or when the sleep after it should end. */
	private long dueAt;

	private long paused;

	/**
	 * Binds the port and starts the thread.
	 * @param name name of the thread
	 * @param options network options
	 * @param machines creates the machine that uses the given output
	 * @throws DafkaException if the address cannot be bound
	 */
	public Node(String name, NodeOptions options, Function<Machine.Output, M> machines) {
		this(name, options, machines, HostResolver.SYSTEM);
	}

	/** Creates a node with a resolver for host names. */
	Node(String name, NodeOptions options, Function<Machine.Output, M> machines, HostResolver resolver) {
		this.options = options;
		CurveSecurity security = CurveSecurity.of(options.curve(), options.towers().size());
		this.transport = new Transport(name, options.connectionTimeout(), options.ticker(), security);
		this.transport.resolver = resolver;
		try {
			this.publisher = new Publisher(this.transport,
					SocketLimits.publisher(options.highWaterMark(), options.socketBuffer()));
			this.output = new PublisherOutput(this.publisher, options.stallTimeout().toNanos());
			this.machine = machines.apply(this.output);
			this.subscriber = new Subscriber(this.transport, "SUB",
					SocketLimits.subscriber(options.maxMessageSize(), options.socketBuffer()),
					this.machine.subscriptions());
			this.port = this.publisher.bind("bindHost", options.bindHost(), "bindPort", options.bindPort());
			long now = options.ticker().nanos();
			this.peers = new Peers(this.subscriber, options.peerTimeout().toNanos(),
					SocketLimits.maxConnections(options.socketBuffer()), security, now);
			this.towers = new TowerLink(this.transport, options, this.port, this.peers, now);
		}
		catch (RuntimeException ex) {
			this.transport.close();
			throw ex;
		}
		this.dueAt = options.ticker().nanos();
		// From here on, the thread owns the sockets.
		this.transport.start(this::turn, this.machine::closed, options.linger());
	}

	/**
	 * Returns a new random address, in the reference implementation's format.
	 * @return 32 upper-case hexadecimal digits
	 */
	public static String newAddress() {
		return UUID.randomUUID().toString().replace("-", "").toUpperCase(Locale.ROOT);
	}

	/**
	 * Returns the machine.
	 * @return the machine, which this node's thread uses
	 */
	public M machine() {
		return this.machine;
	}

	/**
	 * Returns the port on which this node listens.
	 * @return the bound port
	 */
	public int port() {
		return this.port;
	}

	/** Wakes the thread, so that the machine reads its queues. */
	public void wake() {
		this.transport.wake();
	}

	/**
	 * Returns the counters of this node.
	 * @return a snapshot of the current values
	 */
	public NodeMetrics metrics() {
		return new NodeMetrics(this.peers.size(), this.malformed.sum(), this.output.stalls(), this.output.dropped(),
				this.transport.refusals.total());
	}

	/**
	 * Returns the failure that ended the thread.
	 * @return the failure; {@code null} if the node works or was closed without a failure
	 */
	public @Nullable Throwable failure() {
		return this.transport.failure();
	}

	/**
	 * Ends the thread and closes the sockets. Idempotent. Waits at most 10 s longer than
	 * the {@code linger} option. An interrupt does not end the wait.
	 */
	@Override
	public void close() {
		this.transport.stop(this.options.linger().plus(CLOSE_TIMEOUT));
	}

	/** Takes a turn and returns the time in nanoseconds until the next turn. */
	private long turn() {
		long now = beginTurn();
		this.output.turn(now);
		boolean more = receive(now);
		// Records have priority over towers.
		long next = this.machine.work(now);
		next = earlier(this.towers.work(now), next, now);
		long sleep = more ? 0 : Math.min(next - now, isSystemClock() ? MAX_SLEEP_NANOS : MAX_SLEEP_OTHER_CLOCK_NANOS);
		if (this.output.isBlocked()) {
			sleep = Math.min(sleep, Machine.Output.RETRY_NANOS);
		}
		sleeping(sleep);
		return sleep;
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
			byte[][] message = this.publisher.receive();
			if (message == null) {
				return count;
			}
			byte[] prefix = message[0];
			if (prefix.length > 1 && prefix[0] == 1) {
				this.machine.subscribed(Arrays.copyOfRange(prefix, 1, prefix.length), now);
			}
			else if (prefix.length > 1) {
				this.machine.unsubscribed(Arrays.copyOfRange(prefix, 1, prefix.length));
			}
		}
		return SUBSCRIPTIONS_PER_TURN;
	}

	private int receiveMessages(long now) {
		int messages = 0;
		while (messages < MESSAGES_PER_TURN && !this.machine.isFull()) {
			byte[][] message = this.subscriber.receive();
			if (message == null) {
				break;
			}
			messages++;
			byte[] content = (message.length > 1) ? message[1] : null;
			if (message.length > 2 || !this.machine.received(message[0], content, now)) {
				this.malformed.increment();
			}
		}
		return messages;
	}

	/** Returns whether the clock never jumps. */
	private boolean isSystemClock() {
		return this.options.ticker() == Ticker.SYSTEM;
	}

	/**
	 * Begins a turn. Returns the time minus all pauses of this process, for example while
	 * the machine was suspended. Otherwise, all peers would seem late after a pause.
	 */
	private long beginTurn() {
		long nanos = this.options.ticker().nanos();
		if (isSystemClock()) {
			this.paused += Math.max(0, nanos - this.dueAt - MAX_TURN_NANOS);
		}
		this.dueAt = nanos;
		return nanos - this.paused;
	}

	/** Records a planned sleep, which does not count as a pause. */
	private void sleeping(long nanos) {
		this.dueAt += Math.max(0, nanos);
	}

}
