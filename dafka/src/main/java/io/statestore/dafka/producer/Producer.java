package io.statestore.dafka.producer;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.Position;
import io.statestore.dafka.Ticker;
import io.statestore.dafka.internal.Options;
import io.statestore.dafka.node.internal.Node;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends records. The records that a producer sends to one topic form a partition, in the
 * order of the calls to {@link #send}. Each record is kept until a store has acknowledged
 * it, unless the producer uses {@link Acknowledge#NONE}. Memory is limited; while it is
 * full, {@code send} waits.
 * <p>
 * Each producer has one network thread and one thread for callbacks attached to futures.
 * All methods are thread-safe.
 */
public final class Producer implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(Producer.class);

	private static final String CLOSED = "The producer is closed: start another one";

	/** How long to wait for a consumer without progress, in stall timeouts. */
	private static final int STALLS = 10;

	private static final long CLOSE_POLL_NANOS = 1_000_000;

	private final Builder options;

	private final Ticker ticker;

	private final Identity identity;

	private final Bytes address;

	private final long maxBlockNanos;

	private final MemoryBudget budget;

	private final Completions completions;

	private final SendQueue queue = new SendQueue();

	private final Map<String, ProducerPartition> partitions = new ConcurrentHashMap<>();

	private final Holds holds;

	private final ProducerMachine machine;

	private final Node<ProducerMachine> node;

	private volatile boolean closed;

	private final AtomicReference<CompletableFuture<CloseReport>> closing = new AtomicReference<>();

	private Producer(Builder options) {
		this.options = options;
		this.ticker = options.node.ticker();
		this.identity = options.identity;
		this.address = Bytes.wrap(Options.address(this.identity.address()));
		this.maxBlockNanos = options.maxBlock.toNanos();
		this.budget = new MemoryBudget(options.memory);
		this.completions = new Completions(this.budget);
		this.holds = new Holds(STALLS * options.node.stallTimeout().toNanos());
		try {
			this.node = new Node<>("dafka-producer", options.node,
					(output) -> new ProducerMachine(this.address, output, this.queue, this.budget,
							options.acknowledge == Acknowledge.NONE, options.headInterval.toNanos(), this.completions,
							this.holds));
		}
		catch (RuntimeException ex) {
			this.identity.close();
			throw ex;
		}
		this.machine = this.node.machine();
	}

	/**
	 * Returns a builder with default options.
	 * @param node network options
	 * @return a new builder
	 */
	public static Builder builder(NodeOptions node) {
		return new Builder(node);
	}

	/**
	 * Returns the address of this producer, which is the name of its partitions.
	 * @return the address, 1 to 255 characters
	 */
	public String address() {
		return this.identity.address();
	}

	/**
	 * Returns the port on which this producer listens.
	 * @return the bound port
	 */
	public int port() {
		return this.node.port();
	}

	/**
	 * Sends a copy of an array as a record, like {@link #send(String, Bytes)}.
	 * @param topic topic name, 1 to 255 bytes of UTF-8 without NUL
	 * @param content the content, which is copied
	 * @return a future for the record's position
	 * @throws IllegalArgumentException if the topic is invalid or the content too large
	 */
	public CompletableFuture<Position> send(String topic, byte[] content) {
		return send(topic, Bytes.copyOf(content));
	}

	/**
	 * Sends a record. Waits for memory for up to {@code maxBlock}. Also waits a few
	 * milliseconds while many records are waiting for the network, except in a
	 * continuation of one of this producer's futures.
	 * @param topic topic name, 1 to 255 bytes of UTF-8 without NUL
	 * @param content the content, at most {@code maxMessageSize}
	 * @return a future for the record's position, completed on one of the producer's
	 * threads when {@link Acknowledge} says so. Fails with {@link SendRefusedException}
	 * if the record was not sent, and with {@link NotAcknowledgedException} if the
	 * producer was closed first
	 * @throws IllegalArgumentException if the topic is invalid or the content too large
	 */
	public CompletableFuture<Position> send(String topic, Bytes content) {
		ProducerPartition partition = this.partitions.get(topic);
		if (partition == null) {
			partition = this.partitions.computeIfAbsent(topic, (name) -> new ProducerPartition(this.address,
					Bytes.wrap(Options.topic(name)), this.identity.counter(name)));
		}
		if (content.size() > this.options.node.maxMessageSize()) {
			// Checked first, because creating the message takes time.
			Options.require(false, "content", "of " + content.size() + " bytes",
					"at most 'maxMessageSize', " + this.options.node.maxMessageSize());
		}
		// The queue may wait for a continuation, which must not wait for the queue.
		if (this.queue.isLong() && !this.completions.isContinuation()) {
			this.queue.pace(this.maxBlockNanos);
		}
		CompletableFuture<Position> future = new CompletableFuture<>();
		Pending pending = new Pending(partition, content, future);
		String refusal = reserve(pending.cost());
		if (refusal != null) {
			return CompletableFuture.failedFuture(new SendRefusedException(refusal));
		}
		this.queue.add(pending);
		this.node.wake();
		if (this.machine.isEnded()) {
			future.completeExceptionally(new SendRefusedException(CLOSED));
		}
		return future;
	}

	/** Waits for memory. Returns {@code null} on success, otherwise why there is none. */
	private @Nullable String reserve(long bytes) {
		if (this.closed || this.node.failure() != null) {
			return CLOSED;
		}
		try {
			if (this.budget.take(bytes, this.maxBlockNanos)) {
				return null;
			}
			return (this.options.acknowledge == Acknowledge.NONE)
					? "Records that consumers still need filled the memory of the producer for " + this.options.maxBlock
							+ ": check the consumers, or change 'memory' or 'maxBlock'"
					: "Records that no store acknowledged filled the memory of the producer for "
							+ this.options.maxBlock + ": check that a store runs, or change 'memory' or 'maxBlock'";
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return "Interrupted while waiting for memory";
		}
	}

	/**
	 * Returns the failure that stopped this producer, for health checks.
	 * @return the failure; {@code null} if there is none
	 */
	public @Nullable Throwable failure() {
		return this.node.failure();
	}

	/**
	 * Returns the counters of this producer.
	 * @return a snapshot of the current values
	 */
	public ProducerMetrics metrics() {
		return new ProducerMetrics(this.machine.sent.sum(), this.machine.acknowledged.sum(), this.machine.fetched(),
				this.machine.evicted.sum(), count(this.machine.abandoned()), this.budget.used(), this.node.metrics());
	}

	/** Closes like {@link #close(Duration)}, with {@code closeTimeout}. */
	@Override
	public void close() {
		CloseReport report = close(this.options.closeTimeout);
		if (this.options.acknowledge == Acknowledge.STORE && !report.isComplete()) {
			logger.warn("Closed before a store acknowledged {}", report.unacknowledged());
		}
	}

	/**
	 * Refuses new records, waits for acknowledgments, and stops. Futures without an
	 * acknowledgment fail. Idempotent; concurrent callers wait for the first call to
	 * finish. An interrupt ends the wait.
	 * <p>
	 * With {@link Acknowledge#NONE}, this method waits until all records are sent and no
	 * consumer has requested records for a second. Each consumer has at least half a
	 * second to request missing records. If the timeout elapses first, a warning lists
	 * the records that consumers still request.
	 * @param timeout maximum time to wait
	 * @return the unacknowledged records
	 */
	public CloseReport close(Duration timeout) {
		CompletableFuture<CloseReport> mine = new CompletableFuture<>();
		CompletableFuture<CloseReport> before = this.closing.compareAndExchange(null, mine);
		if (before != null) {
			return before.join();
		}
		long end = this.ticker.nanos() + timeout.toNanos();
		this.closed = true;
		this.budget.close();
		this.machine.closing();
		this.node.wake();
		while (!isDone() && this.ticker.nanos() - end < 0 && !Thread.currentThread().isInterrupted()) {
			LockSupport.parkNanos(CLOSE_POLL_NANOS);
		}
		this.node.close();
		try {
			this.completions.close(end - this.ticker.nanos());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.identity.close();
		List<CloseReport.Range> abandoned = this.machine.abandoned();
		if (!abandoned.isEmpty()) {
			logger.warn(
					"Closed while consumers still requested {} records of {} partitions, the first of them {} of {}."
							+ " Consumers may lose these records. Close with a longer timeout than {}, or run a store",
					count(abandoned), abandoned.size(), abandoned.get(0).first(), abandoned.get(0).partition(),
					timeout);
		}
		mine.complete(this.machine.report());
		return this.machine.report();
	}

	private static long count(List<CloseReport.Range> ranges) {
		return ranges.stream().mapToLong(CloseReport.Range::count).sum();
	}

	private boolean isDone() {
		return this.node.failure() != null || this.budget.used() == 0
				|| (this.options.acknowledge == Acknowledge.NONE && this.machine.isSettled() && this.holds.isEmpty());
	}

	/** Builder of a {@link Producer}. */
	public static final class Builder {

		private NodeOptions node;

		private Identity identity = Identity.random();

		private Acknowledge acknowledge = Acknowledge.STORE;

		private long memory = 64 << 20;

		private Duration maxBlock = Duration.ofSeconds(30);

		private Duration closeTimeout = Duration.ofSeconds(10);

		private Duration headInterval = Duration.ofSeconds(1);

		private Builder(NodeOptions node) {
			this.node = node;
		}

		/**
		 * Sets the port to listen on, instead of the port in the network options.
		 * @param bindPort the port, 0 for any free port
		 * @return this builder
		 */
		public Builder bindPort(int bindPort) {
			this.node = this.node.withBindPort(bindPort);
			return this;
		}

		/**
		 * Sets the identity, {@link Identity#random()} by default. The producer closes
		 * the identity, even if the producer fails to start.
		 * @param identity address and counters, now owned by the producer
		 * @return this builder
		 */
		public Builder identity(Identity identity) {
			this.identity = identity;
			return this;
		}

		/**
		 * Sets when futures complete, {@link Acknowledge#STORE} by default.
		 * @param acknowledge when to complete them
		 * @return this builder
		 */
		public Builder acknowledge(Acknowledge acknowledge) {
			this.acknowledge = acknowledge;
			return this;
		}

		/**
		 * Sets the maximum memory for records waiting for acknowledgment, 64 MiB by
		 * default. Each record counts as its content plus 128 bytes.
		 * @param memory number of bytes, at least 1024
		 * @return this builder
		 */
		public Builder memory(long memory) {
			this.memory = Options.requireAtLeast("memory", memory, 1024);
			return this;
		}

		/**
		 * Sets how long {@code send} waits for memory, 30 s by default.
		 * @param maxBlock maximum wait
		 * @return this builder
		 */
		public Builder maxBlock(Duration maxBlock) {
			this.maxBlock = Options.requireDuration("maxBlock", maxBlock, Duration.ZERO);
			return this;
		}

		/**
		 * Sets how long {@code close()} waits for acknowledgments, 10 s by default.
		 * @param closeTimeout maximum wait
		 * @return this builder
		 */
		public Builder closeTimeout(Duration closeTimeout) {
			this.closeTimeout = Options.requireDuration("closeTimeout", closeTimeout, Duration.ZERO);
			return this;
		}

		/**
		 * Sets how often each topic's last record is announced, 1 s by default.
		 * @param headInterval time between announcements
		 * @return this builder
		 */
		public Builder headInterval(Duration headInterval) {
			this.headInterval = Options.requireDuration("headInterval", headInterval, Duration.ofMillis(1));
			return this;
		}

		/**
		 * Binds the port and starts the producer.
		 * @return a running producer
		 * @throws io.statestore.dafka.DafkaException if the port cannot be bound
		 */
		public Producer start() {
			return new Producer(this);
		}

	}

}
