package io.statestore.boot.dafka;

import java.time.Duration;
import java.util.List;

import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.producer.Acknowledge;
import io.statestore.dafka.store.Fsync;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of Dafka. Paths are strings, because Spring would search for a {@code Path}
 * on the class path first.
 *
 * @param towers Comma-separated list of the towers through which nodes find each other,
 * each as host or host:in-port:out-port. The ports are 5556 and 5557 by default.
 * @param bindHost Address that the nodes of this application listen on. By default all
 * addresses, or with an embedded tower the address of the tower.
 * @param advertisedHost Host that other nodes use to connect to the nodes of this
 * application. By default the address that the tower sees.
 * @param highWaterMark Maximum number of messages waiting for each peer, in each
 * direction.
 * @param socketBuffer Size of the buffers of each connection, in this application and in
 * the operating system. Each peer needs this memory.
 * @param maxMessageSize Maximum size of a message from a peer. Peers that exceed it are
 * disconnected.
 * @param beaconInterval Interval between the beacons that a node sends to the towers.
 * @param peerTimeout Time without a beacon after which an unconnected peer is removed.
 * @param stallTimeout Maximum time for which a peer that does not read may delay all
 * other peers.
 * @param connectionTimeout Inactivity after which a connection is re-established.
 * @param linger Maximum time that close waits for written messages to be sent.
 * @param curve Properties of encryption and authentication with CURVE
 * @param producer Properties of the producer of this application
 * @param consumer Properties of the consumers behind listeners
 * @param listener Properties of {@code @DafkaListener} methods
 * @param store Properties of the store in this application
 * @param embedded Properties of the tower embedded in this application, for development
 * and tests
 */
@ConfigurationProperties("dafka")
public record DafkaProperties(@DefaultValue("localhost") List<String> towers, @Nullable String bindHost,
		@Nullable String advertisedHost, @DefaultValue("10000") int highWaterMark,
		@DefaultValue("256KB") DataSize socketBuffer, @DefaultValue("16MB") DataSize maxMessageSize,
		@DefaultValue("1s") Duration beaconInterval, @DefaultValue("4s") Duration peerTimeout,
		@DefaultValue("1s") Duration stallTimeout, @DefaultValue("10s") Duration connectionTimeout,
		@DefaultValue("1s") Duration linger, @DefaultValue Curve curve, @DefaultValue Producer producer,
		@DefaultValue Consumer consumer, @DefaultValue Listener listener, @DefaultValue Store store,
		@DefaultValue Embedded embedded) {

	/**
	 * Properties of encryption and authentication with CURVE.
	 *
	 * @param keyFile File with the secret key of this application, created by 'dafka
	 * keys'. Requires org.bouncycastle:bcprov-jdk18on on the class path. By default,
	 * connections are not encrypted.
	 * @param peersFile File with the names and public keys of all nodes of the network,
	 * created by 'dafka keys'. Read again when it changes. Required if the key file is
	 * set.
	 * @param towers Comma-separated list of the names of the towers in the file of peers:
	 * one for each tower, or a single one for all.
	 */
	public record Curve(@Nullable String keyFile, @Nullable String peersFile,
			@DefaultValue("tower") List<String> towers) {

	}

	/**
	 * Properties of the producer of this application.
	 *
	 * @param bindPort Port that the producer listens on, 0 for a free one.
	 * @param identityDirectory Directory where the producer keeps its address and its
	 * counters, so that it continues its partitions after a restart. By default every
	 * start uses a new address.
	 * @param acknowledge Time at which a record counts as sent: when a store has
	 * acknowledged it ('store'), or at once ('none').
	 * @param memory Maximum size of records waiting for acknowledgment. Each record
	 * counts 128 bytes in addition to its content.
	 * @param maxBlock Maximum time that sending waits for memory.
	 * @param closeTimeout Maximum time that shutdown waits for acknowledgments.
	 * @param headInterval Interval at which the producer announces the last offset of
	 * each topic.
	 */
	public record Producer(int bindPort, @Nullable String identityDirectory,
			@DefaultValue("store") Acknowledge acknowledge, @DefaultValue("64MB") DataSize memory,
			@DefaultValue("30s") Duration maxBlock, @DefaultValue("10s") Duration closeTimeout,
			@DefaultValue("1s") Duration headInterval) {

	}

	/**
	 * Properties of the consumers behind listeners.
	 *
	 * @param offsetReset Offset at which a listener begins to read a partition without a
	 * saved offset.
	 * @param offsetsDirectory Directory where listeners save their offsets, one file per
	 * listener. Must not be shared by applications. In memory by default.
	 * @param headsInterval Interval at which listeners ask the stores for new partitions.
	 * @param maxRecords Maximum number of records waiting for each listener.
	 * @param maxSize Maximum size of the records waiting for each listener.
	 * @param maxPartitions Maximum number of live partitions per listener. Records of
	 * further partitions are dropped.
	 * @param skipTimeout Time after which a listener skips records that no node sends. By
	 * default it waits without limit, because a store with the records may return.
	 */
	public record Consumer(@DefaultValue("latest") OffsetReset offsetReset, @Nullable String offsetsDirectory,
			@DefaultValue("10s") Duration headsInterval, @DefaultValue("20000") int maxRecords,
			@DefaultValue("32MB") DataSize maxSize, @DefaultValue("100000") int maxPartitions,
			@Nullable Duration skipTimeout) {

	}

	/**
	 * Properties of {@code @DafkaListener} methods.
	 *
	 * @param autoStartup Whether to start listeners with the application.
	 * @param maxBatch Maximum number of records in a batch.
	 * @param commitInterval Interval at which offsets are saved.
	 * @param stopTimeout Maximum time that stopping a listener waits for its running
	 * call.
	 */
	public record Listener(@DefaultValue("true") boolean autoStartup, @DefaultValue("500") int maxBatch,
			@DefaultValue("1s") Duration commitInterval, @DefaultValue("10s") Duration stopTimeout) {

	}

	/**
	 * Properties of the store in this application.
	 *
	 * @param enabled Whether to start a store in this application. Enabled by default
	 * with an embedded tower.
	 * @param bindPort Port that the store listens on, 0 for a free one.
	 * @param directory Directory where the store keeps records. Requires
	 * org.rocksdb:rocksdbjni on the class path. In memory by default.
	 * @param fsync Time at which records are forced to disk: 'never', or before they are
	 * acknowledged, in a 'batch' or each 'record' by itself.
	 * @param retentionTime Minimum time that records are kept. Unlimited by default.
	 * @param retentionSize Maximum size of the records kept. The oldest records are
	 * removed first. Unlimited by default.
	 * @param maxPartitions Maximum number of live partitions, which are those whose
	 * producer was active within the last minute. Records of further partitions are
	 * dropped.
	 * @param skipTimeout Time after which the store skips records that no node sends, and
	 * logs them as lost. Zero to wait without limit.
	 */
	public record Store(@Nullable Boolean enabled, int bindPort, @Nullable String directory,
			@DefaultValue("never") Fsync fsync, @Nullable Duration retentionTime, @Nullable DataSize retentionSize,
			@DefaultValue("100000") int maxPartitions, @DefaultValue("1m") Duration skipTimeout) {

	}

	/**
	 * Properties of the tower embedded in this application, for development and tests.
	 *
	 * @param enabled Whether to start a tower and a store in this application, and use
	 * them instead of dafka.towers.
	 * @param host Address that the embedded tower listens on, * for all addresses.
	 * @param inPort Port on which the embedded tower receives beacons, 0 for a free one.
	 * @param outPort Port on which the embedded tower forwards beacons, 0 for a free one.
	 */
	public record Embedded(boolean enabled, @DefaultValue("127.0.0.1") String host, int inPort, int outPort) {

	}

}
