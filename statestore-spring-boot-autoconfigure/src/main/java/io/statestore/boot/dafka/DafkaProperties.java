package io.statestore.boot.dafka;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.producer.Acknowledge;
import io.statestore.dafka.store.Fsync;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/** Properties of Dafka. */
@ConfigurationProperties("dafka")
public class DafkaProperties {

	/**
	 * Towers through which nodes find each other: host, or host:in-port:out-port. The
	 * ports are 5556 and 5557 by default.
	 */
	private List<String> towers = new ArrayList<>(List.of("localhost"));

	/**
	 * Address that nodes of this application listen on. All by default, with the embedded
	 * tower only its own.
	 */
	private @Nullable String bindHost;

	/**
	 * Host by which others reach the nodes of this application. What the tower sees by
	 * default.
	 */
	private @Nullable String advertisedHost;

	/**
	 * Most messages that wait for each peer, in each direction.
	 */
	private int highWaterMark = 10_000;

	/**
	 * What is read from or written to a connection at once, and the buffer of the system
	 * for it. Each peer costs so much memory.
	 */
	private DataSize socketBuffer = DataSize.ofKilobytes(256);

	/**
	 * Largest record.
	 */
	private DataSize maxMessageSize = DataSize.ofMegabytes(16);

	/**
	 * How often a node tells the towers that it is there.
	 */
	private Duration beaconInterval = Duration.ofSeconds(1);

	/**
	 * After how long without beacon a peer that is not connected is forgotten.
	 */
	private Duration peerTimeout = Duration.ofSeconds(4);

	/**
	 * How long a peer that does not read may hold up all others.
	 */
	private Duration stallTimeout = Duration.ofSeconds(1);

	/**
	 * After how long without a sign of life a connection is made anew.
	 */
	private Duration connectionTimeout = Duration.ofSeconds(10);

	/**
	 * How long closing waits for written messages to leave.
	 */
	private Duration linger = Duration.ofSeconds(1);

	private final Producer producer = new Producer();

	private final Consumer consumer = new Consumer();

	private final Listener listener = new Listener();

	private final Store store = new Store();

	private final Embedded embedded = new Embedded();

	public List<String> getTowers() {
		return this.towers;
	}

	public void setTowers(List<String> towers) {
		this.towers = towers;
	}

	public @Nullable String getBindHost() {
		return this.bindHost;
	}

	public void setBindHost(@Nullable String bindHost) {
		this.bindHost = bindHost;
	}

	public @Nullable String getAdvertisedHost() {
		return this.advertisedHost;
	}

	public void setAdvertisedHost(@Nullable String advertisedHost) {
		this.advertisedHost = advertisedHost;
	}

	public int getHighWaterMark() {
		return this.highWaterMark;
	}

	public void setHighWaterMark(int highWaterMark) {
		this.highWaterMark = highWaterMark;
	}

	public DataSize getSocketBuffer() {
		return this.socketBuffer;
	}

	public void setSocketBuffer(DataSize socketBuffer) {
		this.socketBuffer = socketBuffer;
	}

	public DataSize getMaxMessageSize() {
		return this.maxMessageSize;
	}

	public void setMaxMessageSize(DataSize maxMessageSize) {
		this.maxMessageSize = maxMessageSize;
	}

	public Duration getBeaconInterval() {
		return this.beaconInterval;
	}

	public void setBeaconInterval(Duration beaconInterval) {
		this.beaconInterval = beaconInterval;
	}

	public Duration getPeerTimeout() {
		return this.peerTimeout;
	}

	public void setPeerTimeout(Duration peerTimeout) {
		this.peerTimeout = peerTimeout;
	}

	public Duration getStallTimeout() {
		return this.stallTimeout;
	}

	public void setStallTimeout(Duration stallTimeout) {
		this.stallTimeout = stallTimeout;
	}

	public Duration getConnectionTimeout() {
		return this.connectionTimeout;
	}

	public void setConnectionTimeout(Duration connectionTimeout) {
		this.connectionTimeout = connectionTimeout;
	}

	public Duration getLinger() {
		return this.linger;
	}

	public void setLinger(Duration linger) {
		this.linger = linger;
	}

	public Producer getProducer() {
		return this.producer;
	}

	public Consumer getConsumer() {
		return this.consumer;
	}

	public Listener getListener() {
		return this.listener;
	}

	public Store getStore() {
		return this.store;
	}

	public Embedded getEmbedded() {
		return this.embedded;
	}

	/** The producer of this application. */
	public static class Producer {

		/**
		 * Port that the producer listens on, 0 for a free one.
		 */
		private int bindPort;

		/**
		 * Directory in which the producer keeps its address and counters, to go on in its
		 * partitions after a restart. By default each start has a new address.
		 */
		private @Nullable Path identityDirectory;

		/**
		 * When a record counts as sent: when a store has it, or at once.
		 */
		private Acknowledge acknowledge = Acknowledge.STORE;

		/**
		 * Most bytes of records that wait for acknowledgment, with 128 more for each.
		 */
		private DataSize memory = DataSize.ofMegabytes(64);

		/**
		 * How long sending waits for memory.
		 */
		private Duration maxBlock = Duration.ofSeconds(30);

		/**
		 * How long the end of the application waits for acknowledgments.
		 */
		private Duration closeTimeout = Duration.ofSeconds(10);

		/**
		 * How often the last record of each topic is told.
		 */
		private Duration headInterval = Duration.ofSeconds(1);

		public int getBindPort() {
			return this.bindPort;
		}

		public void setBindPort(int bindPort) {
			this.bindPort = bindPort;
		}

		public @Nullable Path getIdentityDirectory() {
			return this.identityDirectory;
		}

		public void setIdentityDirectory(@Nullable Path identityDirectory) {
			this.identityDirectory = identityDirectory;
		}

		public Acknowledge getAcknowledge() {
			return this.acknowledge;
		}

		public void setAcknowledge(Acknowledge acknowledge) {
			this.acknowledge = acknowledge;
		}

		public DataSize getMemory() {
			return this.memory;
		}

		public void setMemory(DataSize memory) {
			this.memory = memory;
		}

		public Duration getMaxBlock() {
			return this.maxBlock;
		}

		public void setMaxBlock(Duration maxBlock) {
			this.maxBlock = maxBlock;
		}

		public Duration getCloseTimeout() {
			return this.closeTimeout;
		}

		public void setCloseTimeout(Duration closeTimeout) {
			this.closeTimeout = closeTimeout;
		}

		public Duration getHeadInterval() {
			return this.headInterval;
		}

		public void setHeadInterval(Duration headInterval) {
			this.headInterval = headInterval;
		}

	}

	/** The consumers of listeners. */
	public static class Consumer {

		/**
		 * Where to begin in a partition of which there is no offset.
		 */
		private OffsetReset offsetReset = OffsetReset.LATEST;

		/**
		 * Directory in which listeners keep how far they got, a file each. In memory by
		 * default. No two applications may share it.
		 */
		private @Nullable Path offsetsDirectory;

		/**
		 * How often stores are asked for partitions.
		 */
		private Duration headsInterval = Duration.ofSeconds(10);

		/**
		 * Most records that wait for each listener.
		 */
		private int maxRecords = 20_000;

		/**
		 * Most bytes of records that wait for each listener.
		 */
		private DataSize maxSize = DataSize.ofMegabytes(32);

		/**
		 * Maximum number of live partitions per listener. Records of further partitions
		 * are dropped.
		 */
		private int maxPartitions = 100_000;

		/**
		 * Time after which a listener continues without records that no node sends. Not
		 * set by default, because a store with the records may return.
		 */
		private @Nullable Duration skipTimeout;

		public OffsetReset getOffsetReset() {
			return this.offsetReset;
		}

		public void setOffsetReset(OffsetReset offsetReset) {
			this.offsetReset = offsetReset;
		}

		public @Nullable Path getOffsetsDirectory() {
			return this.offsetsDirectory;
		}

		public void setOffsetsDirectory(@Nullable Path offsetsDirectory) {
			this.offsetsDirectory = offsetsDirectory;
		}

		public Duration getHeadsInterval() {
			return this.headsInterval;
		}

		public void setHeadsInterval(Duration headsInterval) {
			this.headsInterval = headsInterval;
		}

		public int getMaxRecords() {
			return this.maxRecords;
		}

		public void setMaxRecords(int maxRecords) {
			this.maxRecords = maxRecords;
		}

		public DataSize getMaxSize() {
			return this.maxSize;
		}

		public void setMaxSize(DataSize maxSize) {
			this.maxSize = maxSize;
		}

		public int getMaxPartitions() {
			return this.maxPartitions;
		}

		public void setMaxPartitions(int maxPartitions) {
			this.maxPartitions = maxPartitions;
		}

		public @Nullable Duration getSkipTimeout() {
			return this.skipTimeout;
		}

		public void setSkipTimeout(@Nullable Duration skipTimeout) {
			this.skipTimeout = skipTimeout;
		}

	}

	/** Methods with @DafkaListener. */
	public static class Listener {

		/**
		 * Whether listeners start with the application.
		 */
		private boolean autoStartup = true;

		/**
		 * Most records of one batch.
		 */
		private int maxBatch = 500;

		/**
		 * How often offsets are saved.
		 */
		private Duration commitInterval = Duration.ofSeconds(1);

		/**
		 * How long stopping waits for calls that are running.
		 */
		private Duration stopTimeout = Duration.ofSeconds(10);

		public boolean isAutoStartup() {
			return this.autoStartup;
		}

		public void setAutoStartup(boolean autoStartup) {
			this.autoStartup = autoStartup;
		}

		public int getMaxBatch() {
			return this.maxBatch;
		}

		public void setMaxBatch(int maxBatch) {
			this.maxBatch = maxBatch;
		}

		public Duration getCommitInterval() {
			return this.commitInterval;
		}

		public void setCommitInterval(Duration commitInterval) {
			this.commitInterval = commitInterval;
		}

		public Duration getStopTimeout() {
			return this.stopTimeout;
		}

		public void setStopTimeout(Duration stopTimeout) {
			this.stopTimeout = stopTimeout;
		}

	}

	/** A store inside this application. */
	public static class Store {

		/**
		 * Whether to start a store inside this application. By default only beside an
		 * embedded tower.
		 */
		private @Nullable Boolean enabled;

		/**
		 * Port that the store listens on, 0 for a free one.
		 */
		private int bindPort;

		/**
		 * Where to keep the records; needs org.rocksdb:rocksdbjni. In memory by default.
		 */
		private @Nullable Path directory;

		/**
		 * When to wait for the disk before a record is acknowledged.
		 */
		private Fsync fsync = Fsync.NEVER;

		/**
		 * How long records are kept at least. For ever by default.
		 */
		private @Nullable Duration retentionTime;

		/**
		 * Most bytes that are kept, the newest. No limit by default.
		 */
		private @Nullable DataSize retentionSize;

		/**
		 * Maximum number of live partitions: those whose producer was heard within the
		 * last minute. Records of further partitions are dropped.
		 */
		private int maxPartitions = 100_000;

		/**
		 * Time after which the store skips records that no node gives, logs them as lost,
		 * and continues. Zero to wait for them without limit.
		 */
		private Duration skipTimeout = Duration.ofMinutes(1);

		public @Nullable Boolean getEnabled() {
			return this.enabled;
		}

		public void setEnabled(@Nullable Boolean enabled) {
			this.enabled = enabled;
		}

		public int getBindPort() {
			return this.bindPort;
		}

		public void setBindPort(int bindPort) {
			this.bindPort = bindPort;
		}

		public @Nullable Path getDirectory() {
			return this.directory;
		}

		public void setDirectory(@Nullable Path directory) {
			this.directory = directory;
		}

		public Fsync getFsync() {
			return this.fsync;
		}

		public void setFsync(Fsync fsync) {
			this.fsync = fsync;
		}

		public @Nullable Duration getRetentionTime() {
			return this.retentionTime;
		}

		public void setRetentionTime(@Nullable Duration retentionTime) {
			this.retentionTime = retentionTime;
		}

		public @Nullable DataSize getRetentionSize() {
			return this.retentionSize;
		}

		public void setRetentionSize(@Nullable DataSize retentionSize) {
			this.retentionSize = retentionSize;
		}

		public int getMaxPartitions() {
			return this.maxPartitions;
		}

		public void setMaxPartitions(int maxPartitions) {
			this.maxPartitions = maxPartitions;
		}

		public Duration getSkipTimeout() {
			return this.skipTimeout;
		}

		public void setSkipTimeout(Duration skipTimeout) {
			this.skipTimeout = skipTimeout;
		}

	}

	/** The tower inside this application, for laptops and tests. */
	public static class Embedded {

		/**
		 * Whether to start a tower and a store inside this application and use them
		 * instead of dafka.towers.
		 */
		private boolean enabled;

		/**
		 * Address that the embedded tower listens on, * for all.
		 */
		private String host = "127.0.0.1";

		/**
		 * Port that the embedded tower takes beacons on, 0 for a free one.
		 */
		private int inPort;

		/**
		 * Port that the embedded tower passes beacons on, 0 for a free one.
		 */
		private int outPort;

		public boolean isEnabled() {
			return this.enabled;
		}

		public void setEnabled(boolean enabled) {
			this.enabled = enabled;
		}

		public String getHost() {
			return this.host;
		}

		public void setHost(String host) {
			this.host = host;
		}

		public int getInPort() {
			return this.inPort;
		}

		public void setInPort(int inPort) {
			this.inPort = inPort;
		}

		public int getOutPort() {
			return this.outPort;
		}

		public void setOutPort(int outPort) {
			this.outPort = outPort;
		}

	}

}
