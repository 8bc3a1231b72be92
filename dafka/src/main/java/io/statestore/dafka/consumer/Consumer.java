package io.statestore.dafka.consumer;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.Position;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.RecordListener;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.consumer.ConsumerMachine.ReadPartition;
import io.statestore.dafka.internal.Options;
import io.statestore.dafka.node.internal.Node;
import io.statestore.dafka.reading.internal.Machine;
import io.statestore.dafka.reading.internal.PartitionLimit;
import org.jspecify.annotations.Nullable;

/**
 * Passes the records of its topics to a listener. Each partition is delivered in order
 * and without gaps; missing records are fetched from stores and producers. After a
 * restart with the same {@link OffsetStore}, the latest records may be delivered again.
 * Every consumer receives every record; there are no groups.
 * <p>
 * If a store is connected, a slow listener does not slow down other nodes: records
 * without room are dropped and fetched later. Each consumer has one network thread and
 * one listener thread. All methods are thread-safe.
 */
public final class Consumer implements AutoCloseable {

	private final Builder options;

	/** Records for which the listener threw an exception. */
	private final LongAdder failed;

	private final Delivery delivery;

	private final ConsumerMachine machine;

	private final Node<ConsumerMachine> node;

	private Consumer(Builder options, String threadName, RecordHandler handler, LongAdder failed) {
		this.options = options;
		this.failed = failed;
		WaitingRecords waiting = new WaitingRecords(options.maxRecords, options.maxBytes);
		this.delivery = new Delivery(threadName, handler, waiting, options.offsets, options.commitInterval,
				options.node.ticker());
		Map<TopicPartition, Long> stored = options.offsets.load();
		this.node = new Node<>("dafka-consumer", options.node,
				(output) -> options.machine(stored, output, this.delivery));
		this.machine = this.node.machine();
		waiting.onRoom(this.node::wake);
		this.delivery.start(this.node::close);
	}

	/**
	 * Returns a builder with default options, without topics.
	 * @param node network options
	 * @return a new builder
	 */
	public static Builder builder(NodeOptions node) {
		return new Builder(node);
	}

	/**
	 * Continues with an earlier or later record of a partition. Returns immediately.
	 * Discards the partition's waiting records. A listener call in progress continues.
	 * @param topic one of the topics of this consumer
	 * @param partition producer's address
	 * @param offset offset of the next record, from 0
	 * @throws IllegalArgumentException if this consumer does not read the topic, or an
	 * argument is out of range
	 */
	public void seek(String topic, String partition, long offset) {
		Options.require(this.options.topics.contains(topic), "topic", topic, "one of " + this.options.topics);
		Options.address(partition);
		Options.requireAtLeast("offset", offset, 0);
		this.machine.seek(new Position(topic, partition, offset));
		this.node.wake();
	}

	/**
	 * Returns the status of each known partition.
	 * @return a snapshot, including partitions read completely
	 */
	public Map<TopicPartition, PartitionStatus> partitions() {
		Map<TopicPartition, PartitionStatus> result = new LinkedHashMap<>();
		this.machine.partitions()
			.finished()
			.forEach((key, next) -> result.put(key.names(), new PartitionStatus(next, next - 1)));
		this.machine.partitions().live().forEach((partition) -> result.put(partition.names(), partition.status()));
		return result;
	}

	/**
	 * Returns whether all stores found so far have sent the complete list of their
	 * partitions.
	 * @return the completeness; {@code PENDING} once {@code maxPartitions} was exceeded
	 */
	public Completeness completeness() {
		return (this.machine.limit.refused() == 0) ? this.machine.completeness() : Completeness.PENDING;
	}

	/**
	 * Returns the counters of this consumer.
	 * @return a snapshot of the current values
	 */
	public ConsumerMetrics metrics() {
		Partitions partitions = this.machine.partitions();
		long overflows = partitions.finishedOverflows.sum();
		long known = partitions.finishedRecords.sum();
		int count = partitions.finished().size();
		long lag = 0;
		int stuck = 0;
		for (ReadPartition partition : partitions.live()) {
			overflows += partition.reader.overflows();
			PartitionStatus status = partition.status();
			lag += status.lag();
			known += status.head() + 1;
			stuck += partition.reader.isStuck() ? 1 : 0;
			count++;
		}
		return new ConsumerMetrics(this.delivery.delivered.sum(), this.failed.sum(), overflows,
				this.machine.fetches.sum(), this.machine.lost.sum(), lag, stuck, count, known,
				this.machine.limit.refused(), this.node.metrics());
	}

	/**
	 * Returns the port on which this consumer listens.
	 * @return the bound port
	 */
	public int port() {
		return this.node.port();
	}

	/**
	 * Returns the failure that stopped this consumer, for health checks: a network
	 * failure, or an exception or error that stopped the listener's thread.
	 * @return the failure; {@code null} if there is none
	 */
	public @Nullable Throwable failure() {
		Throwable failure = this.delivery.failure();
		return (failure != null) ? failure : this.node.failure();
	}

	/**
	 * Returns whether this consumer is running: it has not been stopped, neither by a
	 * caller nor by its handler.
	 * @return whether this consumer is running
	 */
	public boolean isRunning() {
		return this.delivery.isRunning();
	}

	/**
	 * Stops after the current listener call. Returns immediately; the listener's thread
	 * then saves the offsets and closes the node.
	 */
	public void stop() {
		this.delivery.stop();
	}

	/**
	 * Returns whether this consumer has stopped completely.
	 * @return {@code true} once offsets are saved and the node is closed
	 */
	public boolean hasEnded() {
		return this.delivery.hasEnded();
	}

	/**
	 * Waits until this consumer has stopped completely.
	 * @param timeout maximum time to wait
	 * @return whether it has stopped; the handler always receives {@code false},
	 * immediately
	 * @throws InterruptedException if the waiting thread is interrupted
	 */
	public boolean awaitEnd(Duration timeout) throws InterruptedException {
		return this.delivery.awaitEnd(timeout);
	}

	/**
	 * Stops after the current record, waits up to {@code closeTimeout} for the listener,
	 * and saves the offsets. Does not wait if called by the listener. Idempotent.
	 */
	@Override
	public void close() {
		this.delivery.stop();
		this.node.close();
		try {
			this.delivery.awaitEnd(this.options.closeTimeout);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** Builder of a {@link Consumer}. */
	public static final class Builder {

		private final NodeOptions node;

		private final Set<String> topics = new LinkedHashSet<>();

		private long beginning = -1;

		private int maxPartitions = 100_000;

		private OffsetStore offsets = OffsetStore.memory();

		private Duration commitInterval = Duration.ofSeconds(1);

		private Duration partitionDiscoveryInterval = Duration.ofSeconds(10);

		private Duration closeTimeout = Duration.ofSeconds(10);

		private int maxRecords = 20_000;

		private long maxBytes = 32 << 20;

		private ReadingOptions reading = ReadingOptions.defaults();

		private Builder(NodeOptions node) {
			this.node = node;
		}

		/**
		 * Adds topics.
		 * @param topics names of the topics
		 * @return this builder
		 */
		public Builder topics(String... topics) {
			for (String topic : topics) {
				Options.topic(topic);
				this.topics.add(topic);
			}
			return this;
		}

		/**
		 * Sets where to start in partitions without an offset, {@link OffsetReset#LATEST}
		 * by default.
		 * @param reset where to start
		 * @return this builder
		 */
		public Builder offsetReset(OffsetReset reset) {
			this.beginning = (reset == OffsetReset.EARLIEST) ? 0 : -1;
			return this;
		}

		/**
		 * Starts at this offset in every partition without an offset, instead of
		 * {@link #offsetReset}. A shorter partition is read once it reaches this offset.
		 * @param offset first offset to read, from 0
		 * @return this builder
		 */
		public Builder beginAt(long offset) {
			this.beginning = Options.requireAtLeast("beginAt", offset, 0);
			return this;
		}

		/**
		 * Sets the maximum number of live partitions, 100,000 by default. A partition is
		 * live while its records are missing or waiting for the listener, and for a
		 * minute after its latest record. Messages of partitions beyond the maximum are
		 * ignored, counted, and logged.
		 * @param maxPartitions maximum number, at least 1
		 * @return this builder
		 */
		public Builder maxPartitions(int maxPartitions) {
			this.maxPartitions = Options.requireAtLeast("maxPartitions", maxPartitions, 1);
			return this;
		}

		/**
		 * Sets where offsets are kept, in memory by default.
		 * @param offsets stores the offsets
		 * @return this builder
		 */
		public Builder offsets(OffsetStore offsets) {
			this.offsets = offsets;
			return this;
		}

		/**
		 * Sets how often offsets are saved, every second by default.
		 * @param commitInterval time between saves
		 * @return this builder
		 */
		public Builder commitInterval(Duration commitInterval) {
			this.commitInterval = Options.requireDuration("commitInterval", commitInterval, Duration.ofMillis(1));
			return this;
		}

		/**
		 * Sets how often stores are asked for partitions, every 10 s by default.
		 * @param partitionDiscoveryInterval time between requests
		 * @return this builder
		 */
		public Builder partitionDiscoveryInterval(Duration partitionDiscoveryInterval) {
			this.partitionDiscoveryInterval = Options.requireDuration("partitionDiscoveryInterval",
					partitionDiscoveryInterval, Duration.ofMillis(1));
			return this;
		}

		/**
		 * Sets how long {@code close} waits for the listener, 10 s by default.
		 * @param closeTimeout maximum wait
		 * @return this builder
		 */
		public Builder closeTimeout(Duration closeTimeout) {
			this.closeTimeout = Options.requireDuration("closeTimeout", closeTimeout, Duration.ZERO);
			return this;
		}

		/**
		 * Sets the maximum number of records waiting for the listener, 20,000 by default.
		 * @param maxRecords maximum number, at least 1
		 * @return this builder
		 */
		public Builder maxRecords(int maxRecords) {
			this.maxRecords = Options.requireAtLeast("maxRecords", maxRecords, 1);
			return this;
		}

		/**
		 * Sets the maximum total size of the records waiting for the listener, 32 MiB by
		 * default.
		 * @param maxBytes number of bytes, at least 1
		 * @return this builder
		 */
		public Builder maxBytes(long maxBytes) {
			this.maxBytes = Options.requireAtLeast("maxBytes", maxBytes, 1);
			return this;
		}

		/**
		 * Sets how gaps are filled.
		 * @param reading options for filling gaps
		 * @return this builder
		 */
		public Builder reading(ReadingOptions reading) {
			this.reading = reading;
			return this;
		}

		/**
		 * Sets how long to wait for records that no node sends. Afterward, the consumer
		 * calls {@link RecordListener#onLost} and continues without them. By default, it
		 * waits indefinitely.
		 * @param skipTimeout the time to wait, which must not be less than the
		 * {@code lossTimeout} of {@link #reading} (5 s by default), or {@code null} to
		 * wait indefinitely
		 * @return this builder
		 */
		public Builder skipTimeout(@Nullable Duration skipTimeout) {
			this.reading = this.reading.withSkipTimeout(skipTimeout);
			return this;
		}

		/**
		 * Binds the port and starts the consumer.
		 * @param listener receives the records
		 * @return a running consumer
		 * @throws io.statestore.dafka.DafkaException if the port cannot be bound or the
		 * offsets cannot be read
		 */
		public Consumer start(RecordListener listener) {
			ListenerCalls calls = new ListenerCalls(listener);
			return start("dafka-consumer-listener", calls, calls.failed);
		}

		/**
		 * Binds the port and starts the consumer.
		 * @param threadName name of the thread that calls the handler
		 * @param handler processes the records
		 * @return a running consumer
		 * @throws io.statestore.dafka.DafkaException if the port cannot be bound or the
		 * offsets cannot be read
		 */
		public Consumer start(String threadName, RecordHandler handler) {
			return start(threadName, handler, new LongAdder());
		}

		private Consumer start(String threadName, RecordHandler handler, LongAdder failed) {
			Options.require(!this.topics.isEmpty(), "topics", "empty", "at least one topic");
			return new Consumer(this, threadName, handler, failed);
		}

		private ConsumerMachine machine(Map<TopicPartition, Long> stored, Machine.Output output, Delivery delivery) {
			Set<Bytes> names = new LinkedHashSet<>();
			this.topics.forEach((topic) -> names.add(Bytes.wrap(Options.topic(topic))));
			return new ConsumerMachine(Bytes.of(Node.newAddress()), names, this.reading,
					this.partitionDiscoveryInterval.toNanos(), backpressureNanos(), stored, this.beginning,
					new PartitionLimit(this.maxPartitions), output, delivery, this.node.ticker().nanos());
		}

		/**
		 * Returns how long messages may remain unread: as long as producers wait for a
		 * consumer without progress, unless the connection would time out earlier.
		 */
		private long backpressureNanos() {
			return Math.min(10 * this.node.stallTimeout().toNanos(), this.node.connectionTimeout().toNanos() / 4);
		}

	}

}
