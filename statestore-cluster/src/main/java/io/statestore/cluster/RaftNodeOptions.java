package io.statestore.cluster;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

import io.statestore.broker.storage.HistoryRetention;
import org.jspecify.annotations.Nullable;

/**
 * Options of a {@link RaftNode}.
 *
 * @param cluster name of the cluster, the same on all nodes
 * @param self this node, without a number
 * @param start what to do if the directory is empty
 * @param listen address to listen on for other nodes
 * @param directory this node's directory
 * @param tls returns the current TLS context, with this node's certificate and the
 * cluster's certificate authorities
 * @param electionTimeout how long a follower is without a leader before it stands for
 * election
 * @param maxEntryBytes maximum size of an entry, in bytes
 * @param segmentBytes size of a log file, in bytes
 * @param spareBytes disk space to keep allocated for the log, in bytes
 * @param minSnapshotLogBytes minimum size of the entries after the latest snapshot, in
 * bytes, before another snapshot is written
 * @param history how much of the past to keep, {@code null} for none
 */
public record RaftNodeOptions(String cluster, Member self, NodeStart start, InetSocketAddress listen, Path directory,
		Supplier<SSLContext> tls, Duration electionTimeout, int maxEntryBytes, long segmentBytes, int spareBytes,
		long minSnapshotLogBytes, @Nullable HistoryRetention history) {

	/**
	 * Default of {@link #maxEntryBytes()}: the largest MQTT packet in a cluster, plus the
	 * log's overhead.
	 */
	public static final int MAX_ENTRY_BYTES = (4 << 20) + (256 << 10);

	/** Default of {@link #spareBytes()}. */
	public static final int SPARE_BYTES = 32 << 20;

	/** Default of {@link #minSnapshotLogBytes()}. */
	public static final long MIN_SNAPSHOT_LOG_BYTES = 64L << 20;

	/**
	 * Checks the sizes.
	 * @throws IllegalArgumentException if the spare space could never hold the largest
	 * entry
	 */
	public RaftNodeOptions {
		if (spareBytes < Proposals.minSpareBytes(maxEntryBytes)) {
			throw new IllegalArgumentException(
					"'maxEntryBytes' of " + maxEntryBytes + " bytes needs 'spareBytes' of at least "
							+ Proposals.minSpareBytes(maxEntryBytes) + ", not " + spareBytes);
		}
	}

	UUID snapshotId() {
		return snapshotId(this.cluster);
	}

	static UUID snapshotId(String cluster) {
		return UUID.nameUUIDFromBytes(cluster.getBytes(StandardCharsets.UTF_8));
	}

}
