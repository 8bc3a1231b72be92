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
 * @param cluster name of the cluster
 * @param self this node, without a number
 * @param start what to do if the directory is empty
 * @param listen address to listen on
 * @param directory directory of this node
 * @param tls returns the current TLS context, with the certificate of this node and the
 * certificate authorities of the cluster
 * @param electionTimeout time without a leader after which a follower stands for election
 * @param maxEntryBytes maximum size of an entry, in bytes
 * @param segmentBytes size of a file of the log, in bytes
 * @param spareBytes disk space to keep allocated for the log, in bytes
 * @param minSnapshotLogBytes size of the entries behind the latest snapshot below which
 * no snapshot is written, in bytes
 * @param history how much of the past to keep, or {@code null} to keep none
 */
public record RaftNodeOptions(String cluster, Member self, NodeStart start, InetSocketAddress listen, Path directory,
		Supplier<SSLContext> tls, Duration electionTimeout, int maxEntryBytes, long segmentBytes, int spareBytes,
		long minSnapshotLogBytes, @Nullable HistoryRetention history) {

	/**
	 * Default of {@link #maxEntryBytes()}: the largest MQTT packet in a cluster, and what
	 * the log stores besides.
	 */
	public static final int MAX_ENTRY_BYTES = (4 << 20) + (256 << 10);

	/** Default of {@link #spareBytes()}. */
	public static final int SPARE_BYTES = 32 << 20;

	/** Default of {@link #minSnapshotLogBytes()}. */
	public static final long MIN_SNAPSHOT_LOG_BYTES = 64L << 20;

	/**
	 * Checks the sizes.
	 * @throws IllegalArgumentException if there would never be room for the largest entry
	 */
	public RaftNodeOptions {
		if (spareBytes < Proposals.minSpareBytes(maxEntryBytes)) {
			throw new IllegalArgumentException(
					"'maxEntryBytes' of " + maxEntryBytes + " bytes needs 'spareBytes' of at least "
							+ Proposals.minSpareBytes(maxEntryBytes) + ", not " + spareBytes);
		}
	}

	/** Returns the identity that the snapshots of the cluster carry. */
	UUID snapshotId() {
		return snapshotId(this.cluster);
	}

	static UUID snapshotId(String cluster) {
		return UUID.nameUUIDFromBytes(cluster.getBytes(StandardCharsets.UTF_8));
	}

}
