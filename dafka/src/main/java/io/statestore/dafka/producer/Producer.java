package io.statestore.dafka.producer;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.Options;
import io.statestore.dafka.Position;
import io.statestore.dafka.node.Node;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes records. Those of one producer and topic are a partition, in the order in
 * which they were given to {@link #send}. Each is kept until a store acknowledged it, in
 * bounded memory: when that is full, {@code send} waits.
 * <p>
 * One thread of its own for the network and one for what is attached to futures. Every
 * method may be called from any thread.
 */
public final class Producer implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(Producer.class);

	private static final String CLOSED = "The producer is closed: start another one";

	/** Stall timeouts without progress for which a consumer is waited for. */
	private static final int STALLS = 10;

	private static final long CLOSE_POLL_NANOS = 1_000_000;

	private final Builder options;

	private final Identity identity;

	private final Bytes address;

	private final long maxBlockNanos;

	private final MemoryBudget budget;

	private final Completions completions;

	private final SendQueue queue = new SendQueue();

	private final Map<String, Lane> lanes = new ConcurrentHashMap<>();

	private final Holds holds;

	private final ProducerMachine machine;

	private final Node node;

	private volatile boolean closed;

	private final AtomicReference<CompletableFuture<CloseReport>> closing = new AtomicReference<>();

	private Producer(Builder options) {
		this.options = options;
		this.identity = options.identity;
		this.address = Options.address(this.identity.address());
		this.maxBlockNanos = options.maxBlock.toNanos();
		this.budget = new MemoryBudget(options.memory);
		this.completions = new Completions(this.budget);
		this.holds = new Holds(STALLS * options.node.stallTimeout().toNanos());
		AtomicReference<ProducerMachine> machine = new AtomicReference<>();
		try {
			this.node = new Node("dafka-producer", options.node, (output) -> {
				machine.set(new ProducerMachine(this.address, output, this.queue, this.budget,
						options.acknowledge == Acknowledge.NONE, options.headInterval.toNanos(), this.completions,
						this.holds));
				return Objects.requireNonNull(machine.get());
			});
		}
		catch (RuntimeException ex) {
			this.identity.close();
			throw ex;
		}
		this.machine = Objects.requireNonNull(machine.get());
	}

	/** Options to change, all at their defaults. */
	public static Builder builder(NodeOptions node) {
		return new Builder(node);
	}

	/** The address, the name of the partitions of this producer. */
	public String address() {
		return this.identity.address();
	}

	/** The port on which others reach it. */
	public int port() {
		return this.node.port();
	}

	/**
	 * Sends a record, see {@link #send(String, Bytes)}.
	 * @param content is copied
	 */
	public CompletableFuture<Position> send(String topic, byte[] content) {
		return send(topic, Bytes.copyOf(content));
	}

	/**
	 * Sends a record. Waits while the memory is full, at most {@code maxBlock}, and for a
	 * few milliseconds while many records wait for the network, unless it is called by
	 * what is attached to a future.
	 * @param topic 1 to 255 bytes of UTF-8 without NUL
	 * @return completes as told by {@link Acknowledge}, on a thread of the producer;
	 * fails with {@link SendRefusedException} if the record was not sent, and with
	 * {@link NotAcknowledgedException} if the producer was closed first
	 * @throws IllegalArgumentException if topic or content cannot be sent
	 */
	public CompletableFuture<Position> send(String topic, Bytes content) {
		Lane lane = this.lanes.get(topic);
		if (lane == null) {
			lane = this.lanes.computeIfAbsent(topic,
					(name) -> new Lane(this.address, Options.topic(name), this.identity.counter(name)));
		}
		if (content.size() > this.options.node.maxMessageSize()) {
			// Only here, since the words would be put together for every record.
			Options.require(false, "content", "of " + content.size() + " bytes",
					"at most 'maxMessageSize', " + this.options.node.maxMessageSize());
		}
		// What is attached to futures may be what the queue waits for.
		if (this.queue.isLong() && !this.completions.isOwnThread()) {
			this.queue.pace(this.maxBlockNanos);
		}
		CompletableFuture<Position> future = new CompletableFuture<>();
		Pending pending = new Pending(lane, content, future);
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

	/** Why there is no memory for a record, {@code null} if there is. */
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

	/** What ended it, {@code null} as long as it works; for health checks. */
	public @Nullable Throwable failure() {
		return this.node.failure();
	}

	public ProducerMetrics metrics() {
		return new ProducerMetrics(this.machine.sent.sum(), this.machine.acknowledged.sum(), this.machine.fetched.sum(),
				this.machine.forgotten.sum(), this.machine.abandoned.sum(), this.budget.used(), this.node.metrics());
	}

	/** Closes as {@link #close(Duration)} does, with {@code closeTimeout}. */
	@Override
	public void close() {
		CloseReport report = close(this.options.closeTimeout);
		if (this.options.acknowledge == Acknowledge.STORE && !report.isComplete()) {
			logger.warn("Closed before a store acknowledged {}", report.unacknowledged());
		}
	}

	/**
	 * Takes no more records, waits for acknowledgments, and stops. Futures that are left
	 * fail. Idempotent.
	 * <p>
	 * With {@link Acknowledge#NONE}, waits until everything is sent, each consumer has
	 * had half a second to request what it misses, and no consumer has requested records
	 * for a second. After the timeout, logs a warning with the records that consumers
	 * still request.
	 * @param timeout how long to wait at most
	 * @return what was not acknowledged
	 */
	public CloseReport close(Duration timeout) {
		CompletableFuture<CloseReport> mine = new CompletableFuture<>();
		CompletableFuture<CloseReport> before = this.closing.compareAndExchange(null, mine);
		if (before != null) {
			return before.join();
		}
		long end = System.nanoTime() + timeout.toNanos();
		this.closed = true;
		this.budget.close();
		this.machine.closing();
		this.node.wake();
		while (!isDone() && System.nanoTime() - end < 0 && !Thread.currentThread().isInterrupted()) {
			LockSupport.parkNanos(CLOSE_POLL_NANOS);
		}
		this.node.close();
		try {
			this.completions.close(end - System.nanoTime());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.identity.close();
		List<CloseReport.Range> abandoned = this.machine.abandonedRanges();
		if (!abandoned.isEmpty()) {
			logger.warn(
					"Closed while consumers still requested {} records of {} partitions, the first of them {} of {}."
							+ " Consumers may lose these records. Close with a longer timeout than {}, or run a store",
					this.machine.abandoned.sum(), abandoned.size(), abandoned.get(0).first(),
					abandoned.get(0).partition(), timeout);
		}
		mine.complete(this.machine.report());
		return this.machine.report();
	}

	private boolean isDone() {
		return this.node.failure() != null || this.budget.used() == 0
				|| (this.options.acknowledge == Acknowledge.NONE && this.machine.isSettled() && this.holds.isEmpty());
	}

	/** Named options. */
	public static final class Builder {

		private final NodeOptions node;

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
		 * The address and counters; a new one by default. Closed with the producer, also
		 * when that does not start.
		 */
		public Builder identity(Identity identity) {
			this.identity = identity;
			return this;
		}

		/** When futures complete, by default {@link Acknowledge#STORE}. */
		public Builder acknowledge(Acknowledge acknowledge) {
			this.acknowledge = acknowledge;
			return this;
		}

		/**
		 * The bytes of records, with 128 more for each, that wait for acknowledgement at
		 * most, 64 MiB by default.
		 */
		public Builder memory(long memory) {
			Options.requireAtLeast("memory", memory, 1024);
			this.memory = memory;
			return this;
		}

		/** How long send waits for memory at most, 30 s by default. */
		public Builder maxBlock(Duration maxBlock) {
			Options.requireDuration("maxBlock", maxBlock, Duration.ZERO);
			this.maxBlock = maxBlock;
			return this;
		}

		/** How long close waits for acknowledgements at most, 10 s by default. */
		public Builder closeTimeout(Duration closeTimeout) {
			Options.requireDuration("closeTimeout", closeTimeout, Duration.ZERO);
			this.closeTimeout = closeTimeout;
			return this;
		}

		/** How often to tell the last record of each topic, 1 s by default. */
		public Builder headInterval(Duration headInterval) {
			Options.requireDuration("headInterval", headInterval, Duration.ofMillis(1));
			this.headInterval = headInterval;
			return this;
		}

		/**
		 * Binds and starts.
		 * @throws io.statestore.dafka.DafkaException if the port cannot be bound
		 */
		public Producer start() {
			return new Producer(this);
		}

	}

}
