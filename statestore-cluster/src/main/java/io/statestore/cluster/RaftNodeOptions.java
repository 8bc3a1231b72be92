package io.statestore.cluster;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

/**
 * Options of a {@link RaftNode}.
 *
 * @param cluster name of the cluster
 * @param self this node
 * @param members members of a new cluster, the same for all of them; empty for a node
 * that a running cluster adds. Ignored once the node has entries
 * @param listen address to listen on
 * @param directory directory of this node
 * @param tls returns the current TLS context, with the certificate of this node and the
 * certificate authorities of the cluster
 * @param electionTimeout time without a leader after which a follower stands for election
 * @param maxEntryBytes maximum size of an entry, in bytes
 * @param segmentBytes size of a file of the log, in bytes
 * @param spareBytes disk space to keep allocated for the log, in bytes
 */
public record RaftNodeOptions(String cluster, Member self, List<Member> members, InetSocketAddress listen,
		Path directory, Supplier<SSLContext> tls, Duration electionTimeout, int maxEntryBytes, long segmentBytes,
		int spareBytes) {

	/** Default of {@link #electionTimeout()}. */
	public static final Duration ELECTION_TIMEOUT = Duration.ofSeconds(1);

	/** Default of {@link #maxEntryBytes()}. */
	public static final int MAX_ENTRY_BYTES = 4 << 20;

	/** Default of {@link #spareBytes()}. */
	public static final int SPARE_BYTES = 32 << 20;

	public RaftNodeOptions {
		members = List.copyOf(members);
	}

}
