package io.statestore.boot.dafka;

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
	 * Comma-separated list of the towers through which nodes find each other, each as
	 * host or host:in-port:out-port. The ports are 5556 and 5557 by default.
	 */
	private List<String> towers = new ArrayList<>(List.of("localhost"));

	/**
	 * Address that the nodes of this application listen on. By default all addresses, or
	 * with an embedded tower the address of the tower.
	 */
	private @Nullable String bindHost;

	/**
	 * Host that other nodes use to connect to the nodes of this application. By default
	 * the address that the tower sees.
	 */
	private @Nullable String advertisedHost;

	/**
	 * Maximum number of messages waiting for each peer, in each direction.
	 */
	private int highWaterMark = 10_000;

	/**
	 * Size of the buffers of each connection, in this application and in the operating
	 * system. Each peer needs this memory.
	 */
	private DataSize socketBuffer = DataSize.ofKilobytes(256);

	/**
	 * Maximum size of a message from a peer. Peers that exceed it are disconnected.
	 */
	private DataSize maxMessageSize = DataSize.ofMegabytes(16);

	/**
	 * Interval between the beacons that a node sends to the towers.
	 */
	private Duration beaconInterval = Duration.ofSeconds(1);

	/**
	 * Time without a beacon after which an unconnected peer is removed.
	 */
	private Duration peerTimeout = Duration.ofSeconds(4);

	/**
	 * Maximum time for which a peer that does not read may delay all other peers.
	 */
	private Duration stallTimeout = Duration.ofSeconds(1);

	/**
	 * Inactivity after which a connection is re-established.
	 */
	private Duration connectionTimeout = Duration.ofSeconds(10);

	/**
	 * Maximum time that close waits for written messages to be sent.
	 */
	private Duration linger = Duration.ofSeconds(1);

	private final Curve curve = new Curve();

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

	public Curve getCurve() {
		return this.curve;
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

	/** Properties of encryption and authentication with CURVE. */
	public static class Curve {

		/**
		 * File with the secret key of this application, created by 'dafka keys'. Requires
		 * org.bouncycastle:bcprov-jdk18on on the class path. By default, connections are
		 * not encrypted.
		 */
		// Not a Path, see DirectoryProperties
		private @Nullable String keyFile;

		/**
		 * File with the names and public keys of all nodes of the network, created by
		 * 'dafka keys'. Read again when it changes. Required if the key file is set.
		 */
		// Not a Path, see DirectoryProperties
		private @Nullable String peersFile;

		/**
		 * Comma-separated list of the names of the towers in the file of peers: one for
		 * each tower, or a single one for all.
		 */
		private List<String> towers = new ArrayList<>(List.of("tower"));

		public @Nullable String getKeyFile() {
			return this.keyFile;
		}

		public void setKeyFile(@Nullable String keyFile) {
			this.keyFile = keyFile;
		}

		public @Nullable String getPeersFile() {
			return this.peersFile;
		}

		public void setPeersFile(@Nullable String peersFile) {
			this.peersFile = peersFile;
		}

		public List<String> getTowers() {
			return this.towers;
		}

		public void setTowers(List<String> towers) {
			this.towers = towers;
		}

	}

	/** Properties of the producer of this application. */
	public static class Producer {

		/**
		 * Port that the producer listens on, 0 for a free one.
		 */
		private int bindPort;

		/**
		 * Directory where the producer keeps its address and its counters, so that it
		 * continues its partitions after a restart. By default every start uses a new
		 * address.
		 */
		// Not a Path, see DirectoryProperties
		private @Nullable String identityDirectory;

		/**
		 * Time at which a record counts as sent: when a store has acknowledged it
		 * ('store'), or at once ('none').
		 */
		private Acknowledge acknowledge = Acknowledge.STORE;

		/**
		 * Maximum size of records waiting for acknowledgment. Each record counts 128
		 * bytes in addition to its content.
		 */
		private DataSize memory = DataSize.ofMegabytes(64);

		/**
		 * Maximum time that sending waits for memory.
		 */
		private Duration maxBlock = Duration.ofSeconds(30);

		/**
		 * Maximum time that shutdown waits for acknowledgments.
		 */
		private Duration closeTimeout = Duration.ofSeconds(10);

		/**
		 * Interval at which the producer announces the last offset of each topic.
		 */
		private Duration headInterval = Duration.ofSeconds(1);

		public int getBindPort() {
			return this.bindPort;
		}

		public void setBindPort(int bindPort) {
			this.bindPort = bindPort;
		}

		public @Nullable String getIdentityDirectory() {
			return this.identityDirectory;
		}

		public void setIdentityDirectory(@Nullable String identityDirectory) {
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

	/** Properties of the consumers behind listeners. */
	public static class Consumer {

		/**
		 * Offset at which a listener begins to read a partition without a saved offset.
		 */
		private OffsetReset offsetReset = OffsetReset.LATEST;

		/**
		 * Directory where listeners save their offsets, one file per listener. Must not
		 * be shared by applications. In memory by default.
		 */
		// Not a Path, see DirectoryProperties
		private @Nullable String offsetsDirectory;

		/**
		 * Interval at which listeners ask the stores for new partitions.
		 */
		private Duration headsInterval = Duration.ofSeconds(10);

		/**
		 * Maximum number of records waiting for each listener.
		 */
		private int maxRecords = 20_000;

		/**
		 * Maximum size of the records waiting for each listener.
		 */
		private DataSize maxSize = DataSize.ofMegabytes(32);

		/**
		 * Maximum number of live partitions per listener. Records of further partitions
		 * are dropped.
		 */
		private int maxPartitions = 100_000;

		/**
		 * Time after which a listener skips records that no node sends. By default it
		 * waits without limit, because a store with the records may return.
		 */
		private @Nullable Duration skipTimeout;

		public OffsetReset getOffsetReset() {
			return this.offsetReset;
		}

		public void setOffsetReset(OffsetReset offsetReset) {
			this.offsetReset = offsetReset;
		}

		public @Nullable String getOffsetsDirectory() {
			return this.offsetsDirectory;
		}

		public void setOffsetsDirectory(@Nullable String offsetsDirectory) {
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

	/** Properties of {@code @DafkaListener} methods. */
	public static class Listener {

		/**
		 * Whether to start listeners with the application.
		 */
		private boolean autoStartup = true;

		/**
		 * Maximum number of records in a batch.
		 */
		private int maxBatch = 500;

		/**
		 * Interval at which offsets are saved.
		 */
		private Duration commitInterval = Duration.ofSeconds(1);

		/**
		 * Maximum time that stopping a listener waits for its running call.
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

	/** Properties of the store in this application. */
	public static class Store {

		/**
		 * Whether to start a store in this application. Enabled by default with an
		 * embedded tower.
		 */
		private @Nullable Boolean enabled;

		/**
		 * Port that the store listens on, 0 for a free one.
		 */
		private int bindPort;

		/**
		 * Directory where the store keeps records. Requires org.rocksdb:rocksdbjni on the
		 * class path. In memory by default.
		 */
		// Not a Path, see DirectoryProperties
		private @Nullable String directory;

		/**
		 * Time at which records are forced to disk: 'never', or before they are
		 * acknowledged, in a 'batch' or each 'record' by itself.
		 */
		private Fsync fsync = Fsync.NEVER;

		/**
		 * Minimum time that records are kept. Unlimited by default.
		 */
		private @Nullable Duration retentionTime;

		/**
		 * Maximum size of the records kept. The oldest records are removed first.
		 * Unlimited by default.
		 */
		private @Nullable DataSize retentionSize;

		/**
		 * Maximum number of live partitions, which are those whose producer was active
		 * within the last minute. Records of further partitions are dropped.
		 */
		private int maxPartitions = 100_000;

		/**
		 * Time after which the store skips records that no node sends, and logs them as
		 * lost. Zero to wait without limit.
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

		public @Nullable String getDirectory() {
			return this.directory;
		}

		public void setDirectory(@Nullable String directory) {
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

	/**
	 * Properties of the tower embedded in this application, for development and tests.
	 */
	public static class Embedded {

		/**
		 * Whether to start a tower and a store in this application, and use them instead
		 * of dafka.towers.
		 */
		private boolean enabled;

		/**
		 * Address that the embedded tower listens on, * for all addresses.
		 */
		private String host = "127.0.0.1";

		/**
		 * Port on which the embedded tower receives beacons, 0 for a free one.
		 */
		private int inPort;

		/**
		 * Port on which the embedded tower forwards beacons, 0 for a free one.
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
