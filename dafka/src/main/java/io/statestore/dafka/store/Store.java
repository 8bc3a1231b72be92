package io.statestore.dafka.store;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.Options;
import io.statestore.dafka.node.Node;
import io.statestore.dafka.reading.ReadingOptions;
import io.statestore.dafka.store.storage.Engine;
import io.statestore.dafka.store.storage.MemoryEngine;
import io.statestore.dafka.store.storage.RecordLog;
import io.statestore.dafka.store.storage.RocksEngine;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the records of all topics, acknowledges them to their producers and gives them to
 * consumers and stores that missed them. Several stores keep the same records: what one
 * misses, also of producers that are gone, it fetches from the others.
 * <p>
 * A record is acknowledged after it was written, see {@link Fsync} for what that means.
 * One thread of its own; every method may be called from any thread.
 */
public final class Store implements AutoCloseable {

	/** Retention time that keeps everything. */
	static final Duration KEEP = Duration.ofDays(36_500);

	private final Node node;

	private final StoreCounters counters;

	private final String address;

	private Store(Builder builder) {
		this.address = builder.address;
		RecordLog log = new RecordLog(builder.engine());
		AtomicReference<StoreMachine> machine = new AtomicReference<>();
		try {
			this.node = new Node("dafka-store", builder.node, (output) -> {
				StoreMachine made = new StoreMachine(Options.address(this.address), builder.settings(), log, output,
						builder.node.ticker().nanos());
				machine.set(made);
				return made;
			});
		}
		catch (RuntimeException ex) {
			log.close();
			throw ex;
		}
		this.counters = Objects.requireNonNull(machine.get()).counters();
	}

	/** Options to change; without directory everything is kept in memory. */
	public static Builder builder(NodeOptions node) {
		return new Builder(node);
	}

	/** The address of this store. */
	public String address() {
		return this.address;
	}

	/** The port on which others reach it. */
	public int port() {
		return this.node.port();
	}

	/** What ended it, {@code null} as long as it works; for health checks. */
	public @Nullable Throwable failure() {
		return this.node.failure();
	}

	public StoreMetrics metrics() {
		return new StoreMetrics(this.counters.partitions, this.counters.stored.sum(), this.counters.duplicates.sum(),
				this.counters.lost.sum(), this.counters.late.sum(), this.counters.stuck, this.counters.limit.refused(),
				this.counters.fetched.sum(), this.counters.acknowledgements.sum(), this.counters.bytes,
				this.node.metrics());
	}

	/** Stops and closes the directory. Idempotent. */
	@Override
	public void close() {
		this.node.close();
	}

	/** Named options. */
	public static final class Builder {

		private final NodeOptions node;

		private final String address = Node.newAddress();

		private @Nullable Path directory;

		private Fsync fsync = Fsync.NEVER;

		private Duration retentionTime = KEEP;

		private long retentionBytes = Long.MAX_VALUE;

		private Duration retentionInterval = Duration.ofSeconds(10);

		private Duration replicationInterval = Duration.ofSeconds(5);

		private ReadingOptions reading = ReadingOptions.defaults().withSkipTimeout(Duration.ofMinutes(1));

		private int maxPartitions = 100_000;

		private InstantSource time = InstantSource.system();

		private Builder(NodeOptions node) {
			this.node = node;
		}

		/** Where to keep the records; made if it is not there. One store at a time. */
		public Builder directory(Path directory) {
			this.directory = directory;
			return this;
		}

		/** When to wait for the disk, by default {@link Fsync#NEVER}. */
		public Builder fsync(Fsync fsync) {
			this.fsync = fsync;
			return this;
		}

		/** How long records are kept at least, for ever by default. */
		public Builder retentionTime(Duration retentionTime) {
			Options.require(!retentionTime.isNegative() && !retentionTime.isZero(), "retentionTime", retentionTime,
					"positive");
			this.retentionTime = retentionTime;
			return this;
		}

		/**
		 * How many bytes are kept at most, all topics together, the newest; no limit by
		 * default. The engine frees space on the disk some time later.
		 */
		public Builder retentionBytes(long retentionBytes) {
			Options.requireAtLeast("retentionBytes", retentionBytes, 0);
			this.retentionBytes = retentionBytes;
			return this;
		}

		/** How often to look for what need not be kept any more, 10 s by default. */
		public Builder retentionInterval(Duration retentionInterval) {
			Options.requireDuration("retentionInterval", retentionInterval, Duration.ofMillis(1));
			this.retentionInterval = retentionInterval;
			return this;
		}

		/** How often to ask other stores what they have, 5 s by default. */
		public Builder replicationInterval(Duration replicationInterval) {
			Options.requireDuration("replicationInterval", replicationInterval, Duration.ofMillis(1));
			this.replicationInterval = replicationInterval;
			return this;
		}

		/** How gaps are filled. Includes {@link #skipTimeout}. */
		public Builder reading(ReadingOptions reading) {
			this.reading = reading;
			return this;
		}

		/**
		 * Sets the time after which records that no node gives are skipped, 1 minute by
		 * default: the store logs an error, counts them as lost, and continues. It skips
		 * only records of a running producer, and none that another store announces.
		 * Choose a longer time if another store that has them may be away for longer.
		 * @param skipTimeout at least 5 s (the {@code lossTimeout} of {@link #reading}),
		 * or {@code null} to wait for them without limit
		 * @return this builder
		 */
		public Builder skipTimeout(@Nullable Duration skipTimeout) {
			this.reading = this.reading.withSkipTimeout(skipTimeout);
			return this;
		}

		/**
		 * Maximum number of live partitions, 100,000 by default. A partition is live if
		 * its producer was heard within the last minute. Records of further partitions
		 * are not stored and not acknowledged, but counted and logged. Stored partitions
		 * of producers that are gone do not count.
		 */
		public Builder maxPartitions(int maxPartitions) {
			Options.requireAtLeast("maxPartitions", maxPartitions, 1);
			this.maxPartitions = maxPartitions;
			return this;
		}

		/** The time of day, for retention by age. */
		public Builder time(InstantSource time) {
			this.time = time;
			return this;
		}

		/**
		 * Opens, checks what is there, binds and starts.
		 * @throws io.statestore.dafka.DafkaException if the directory or the port cannot
		 * be used, or records are damaged
		 */
		public Store start() {
			return new Store(this);
		}

		private Engine engine() {
			return (this.directory != null) ? RocksEngine.open(this.directory) : new MemoryEngine();
		}

		private StoreSettings settings() {
			return new StoreSettings(this.fsync, this.retentionTime, this.retentionBytes, this.retentionInterval,
					this.replicationInterval, this.reading, this.maxPartitions, this.time);
		}

	}

}
