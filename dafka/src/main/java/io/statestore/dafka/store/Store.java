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
 * Stores the records of all topics. A store acknowledges records to their producers and
 * sends them to consumers and stores that miss them. Several stores keep the same
 * records: each store fetches missing records from the others, even after their producers
 * have ended.
 * <p>
 * A record is acknowledged once it is written; {@link Fsync} determines whether it
 * survives a machine crash. Each store has one thread. All methods are thread-safe.
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
	 * @param node network options
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
	 * @return the bound port
	 */
	public int port() {
		return this.node.port();
	}

	/**
	 * Returns the failure that stopped this store, for health checks.
	 * @return the failure; {@code null} if there is none
	 */
	public @Nullable Throwable failure() {
		return this.node.failure();
	}

	/**
	 * Returns the counters of this store.
	 * @return a snapshot of the current values
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
		 * Sets the port to listen on, instead of the port in the network options.
		 * @param bindPort the port, 0 for any free port
		 * @return this builder
		 */
		public Builder bindPort(int bindPort) {
			this.node = this.node.withBindPort(bindPort);
			return this;
		}

		/**
		 * Sets the directory for the records. Only one store at a time may use it. By
		 * default, records are kept in memory.
		 * @param directory the directory, which is created if necessary
		 * @return this builder
		 */
		public Builder directory(Path directory) {
			this.directory = directory;
			return this;
		}

		/**
		 * Sets when the store waits for the disk, {@link Fsync#NEVER} by default.
		 * @param fsync when to wait
		 * @return this builder
		 */
		public Builder fsync(Fsync fsync) {
			this.fsync = fsync;
			return this;
		}

		/**
		 * Sets the age at which retention removes records. By default, records are not
		 * removed because of their age.
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
		 * Sets the maximum total size of all records. Retention removes the oldest
		 * records; the engine frees their disk space some time later. Unlimited by
		 * default.
		 * @param retentionBytes maximum number of bytes
		 * @return this builder
		 */
		public Builder retentionBytes(long retentionBytes) {
			this.retentionBytes = Options.requireAtLeast("retentionBytes", retentionBytes, 0);
			return this;
		}

		/**
		 * Sets how often retention removes records, every 10 s by default.
		 * @param retentionInterval time between removals
		 * @return this builder
		 */
		public Builder retentionInterval(Duration retentionInterval) {
			this.retentionInterval = Options.requireDuration("retentionInterval", retentionInterval,
					Duration.ofMillis(1));
			return this;
		}

		/**
		 * Sets how often the store requests the heads of other stores, every 5 s by
		 * default.
		 * @param replicationInterval time between requests
		 * @return this builder
		 */
		public Builder replicationInterval(Duration replicationInterval) {
			this.replicationInterval = Options.requireDuration("replicationInterval", replicationInterval,
					Duration.ofMillis(1));
			return this;
		}

		/**
		 * Sets the options for filling gaps, which include {@link #skipTimeout}.
		 * @param reading options for filling gaps
		 * @return this builder
		 */
		public Builder reading(ReadingOptions reading) {
			this.reading = reading;
			return this;
		}

		/**
		 * Sets how long to wait for records that no node sends, 1 minute by default.
		 * Afterward, the store logs an error, counts the records as lost, and continues.
		 * It skips only records of a running producer that no other store announces.
		 * Choose a longer time if another store with the records may be down for longer.
		 * @param skipTimeout at least 5 s (the {@code lossTimeout} of {@link #reading}),
		 * or {@code null} to wait indefinitely
		 * @return this builder
		 */
		public Builder skipTimeout(@Nullable Duration skipTimeout) {
			this.reading = this.reading.withSkipTimeout(skipTimeout);
			return this;
		}

		/**
		 * Sets the maximum number of live partitions, 100,000 by default. A partition is
		 * live if its producer was active within the last minute. Records of partitions
		 * beyond the maximum are neither stored nor acknowledged, but counted and logged.
		 * Stored partitions of ended producers do not count.
		 * @param maxPartitions maximum number, at least 1
		 * @return this builder
		 */
		public Builder maxPartitions(int maxPartitions) {
			this.maxPartitions = Options.requireAtLeast("maxPartitions", maxPartitions, 1);
			return this;
		}

		/**
		 * Sets the clock for retention by age.
		 * @param time clock that returns the time of day
		 * @return this builder
		 */
		public Builder time(InstantSource time) {
			this.time = time;
			return this;
		}

		/**
		 * Opens the directory, verifies its records, and starts the store.
		 * @return a running store
		 * @throws io.statestore.dafka.DafkaException if the directory or port cannot be
		 * used or records are damaged
		 */
		public Store start() {
			return new Store(this);
		}

		private Engine engine() {
			return (this.directory != null) ? RocksEngine.open(this.directory) : new MemoryEngine();
		}

	}

}
