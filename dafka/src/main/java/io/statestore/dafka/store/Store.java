package io.statestore.dafka.store;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.internal.Options;
import io.statestore.dafka.node.internal.Node;
import io.statestore.dafka.reading.internal.PartitionLimit;
import org.jspecify.annotations.Nullable;

/**
 * Storage for the records of all topics. A store acknowledges records to their producers,
 * and sends them to consumers and stores that miss them. Several stores keep the same
 * records: each one fetches the records it misses from the others, even after their
 * producers have ended.
 * <p>
 * A record is acknowledged after it was written; {@link Fsync} defines whether it
 * survives a crash of the machine. Each store has one thread. All methods are
 * thread-safe.
 */
public final class Store implements AutoCloseable {

	/** Retention time that keeps all records. */
	static final Duration FOREVER = Duration.ofDays(36_500);

	private final Node<StoreMachine> node;

	private final String address;

	private Store(Builder builder) {
		this.address = builder.address;
		RecordLog log = new RecordLog(builder.engine());
		try {
			this.node = new Node<>("dafka-store", builder.node, (output) -> new StoreMachine(Bytes.of(this.address),
					builder, new PartitionLimit(builder.maxPartitions), log, output, builder.node.ticker().nanos()));
		}
		catch (RuntimeException ex) {
			log.close();
			throw ex;
		}
	}

	/**
	 * Returns a builder with default options. By default, records are kept in memory.
	 * @param node options of the node
	 * @return a new builder
	 */
	public static Builder builder(NodeOptions node) {
		return new Builder(node);
	}

	/**
	 * Returns the address of this store.
	 * @return 32 hexadecimal digits
	 */
	public String address() {
		return this.address;
	}

	/**
	 * Returns the port on which this store listens.
	 * @return the port
	 */
	public int port() {
		return this.node.port();
	}

	/**
	 * Returns the failure that ended this store, for health checks.
	 * @return the failure, or {@code null} while the store works
	 */
	public @Nullable Throwable failure() {
		return this.node.failure();
	}

	/**
	 * Returns the counters of this store.
	 * @return a snapshot
	 */
	public StoreMetrics metrics() {
		StoreMachine machine = this.node.machine();
		return new StoreMetrics(machine.partitionCount, machine.stored.sum(), machine.duplicates.sum(),
				machine.lost.sum(), machine.late.sum(), machine.stuck, machine.limit.refused(), machine.fetched(),
				machine.bytes, this.node.metrics());
	}

	/** Stops this store and closes its directory. Idempotent. */
	@Override
	public void close() {
		this.node.close();
	}

	/** Builder of a {@link Store}. */
	public static final class Builder {

		private NodeOptions node;

		private final String address = Node.newAddress();

		private @Nullable Path directory;

		Fsync fsync = Fsync.NEVER;

		Duration retentionTime = FOREVER;

		long retentionBytes = Long.MAX_VALUE;

		Duration retentionInterval = Duration.ofSeconds(10);

		Duration replicationInterval = Duration.ofSeconds(5);

		ReadingOptions reading = ReadingOptions.defaults().withSkipTimeout(Duration.ofMinutes(1));

		int maxPartitions = 100_000;

		InstantSource time = InstantSource.system();

		private Builder(NodeOptions node) {
			this.node = node;
		}

		/**
		 * Sets the port to listen on, instead of that in the options of the node.
		 * @param bindPort the port, 0 for a free one
		 * @return this builder
		 */
		public Builder bindPort(int bindPort) {
			this.node = this.node.withBindPort(bindPort);
			return this;
		}

		/**
		 * Sets the directory of the records, which is created if necessary. Only one
		 * store at a time may use it. By default records are kept in memory.
		 * @param directory the directory
		 * @return this builder
		 */
		public Builder directory(Path directory) {
			this.directory = directory;
			return this;
		}

		/**
		 * Sets when the store waits for the disk, {@link Fsync#NEVER} by default.
		 * @param fsync the mode
		 * @return this builder
		 */
		public Builder fsync(Fsync fsync) {
			this.fsync = fsync;
			return this;
		}

		/**
		 * Sets the minimum age of records that retention removes. By default none are
		 * removed.
		 * @param retentionTime a positive duration
		 * @return this builder
		 */
		public Builder retentionTime(Duration retentionTime) {
			Options.require(!retentionTime.isNegative() && !retentionTime.isZero(), "retentionTime", retentionTime,
					"positive");
			this.retentionTime = retentionTime;
			return this;
		}

		/**
		 * Sets the maximum size of all records. Retention removes the oldest ones; the
		 * engine frees their disk space some time later. Unlimited by default.
		 * @param retentionBytes maximum number of bytes
		 * @return this builder
		 */
		public Builder retentionBytes(long retentionBytes) {
			this.retentionBytes = Options.requireAtLeast("retentionBytes", retentionBytes, 0);
			return this;
		}

		/**
		 * Sets the interval at which retention removes records, 10 s by default.
		 * @param retentionInterval the interval
		 * @return this builder
		 */
		public Builder retentionInterval(Duration retentionInterval) {
			this.retentionInterval = Options.requireDuration("retentionInterval", retentionInterval,
					Duration.ofMillis(1));
			return this;
		}

		/**
		 * Sets the interval at which the store requests the heads of other stores, 5 s by
		 * default.
		 * @param replicationInterval the interval
		 * @return this builder
		 */
		public Builder replicationInterval(Duration replicationInterval) {
			this.replicationInterval = Options.requireDuration("replicationInterval", replicationInterval,
					Duration.ofMillis(1));
			return this;
		}

		/**
		 * Sets the options for filling gaps, which include {@link #skipTimeout}.
		 * @param reading the options
		 * @return this builder
		 */
		public Builder reading(ReadingOptions reading) {
			this.reading = reading;
			return this;
		}

		/**
		 * Sets the time after which records that no node sends are skipped, 1 minute by
		 * default. The store logs an error, counts them as lost, and continues. It skips
		 * only records of a running producer, and none that another store announces.
		 * Choose a longer time if another store with the records may be stopped for
		 * longer.
		 * @param skipTimeout at least 5 s (the {@code lossTimeout} of {@link #reading}),
		 * or {@code null} to wait for them without limit
		 * @return this builder
		 */
		public Builder skipTimeout(@Nullable Duration skipTimeout) {
			this.reading = this.reading.withSkipTimeout(skipTimeout);
			return this;
		}

		/**
		 * Sets the maximum number of live partitions, 100,000 by default. A partition is
		 * live if its producer was active within the last minute. Records of further
		 * partitions are neither stored nor acknowledged. The store counts and logs them.
		 * Stored partitions of ended producers do not count.
		 * @param maxPartitions the number, at least 1
		 * @return this builder
		 */
		public Builder maxPartitions(int maxPartitions) {
			this.maxPartitions = Options.requireAtLeast("maxPartitions", maxPartitions, 1);
			return this;
		}

		/**
		 * Sets the clock for retention by age.
		 * @param time the clock
		 * @return this builder
		 */
		public Builder time(InstantSource time) {
			this.time = time;
			return this;
		}

		/**
		 * Opens the directory, verifies its records, and starts the store.
		 * @return a running store
		 * @throws io.statestore.dafka.DafkaException if the directory or the port cannot
		 * be used, or records are damaged
		 */
		public Store start() {
			return new Store(this);
		}

		private Engine engine() {
			return (this.directory != null) ? RocksEngine.open(this.directory) : new MemoryEngine();
		}

	}

}
