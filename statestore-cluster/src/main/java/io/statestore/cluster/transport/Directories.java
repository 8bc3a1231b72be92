package io.statestore.cluster.transport;

import com.alipay.sofa.jraft.util.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * What a node knows of the directories of the first members of its cluster, the founders.
 * A founder that comes with another directory than before has lost its votes and entries,
 * and must not take part again. A node that joined has no part in this. Thread-safe.
 */
public interface Directories {

	/**
	 * Returns a digest of the founders, a slash, and a digest of the state that they
	 * began with, empty if they began with none.
	 * @return the digests, empty for a node that joined
	 */
	String foundersDigest();

	/**
	 * Returns the identity of the directory of this node.
	 * @return the identity, empty for a node that joined
	 */
	String own();

	/**
	 * Returns the identity of the directory of a founder. Does not wait.
	 * @param node address of a node
	 * @return the identity, empty if it is unknown, {@code null} if one of both nodes is
	 * no founder
	 */
	@Nullable String of(Endpoint node);

	/**
	 * Returns whether this node may send and receive messages. A founder that has never
	 * voted may do so once it knows the directories of all founders: one that lost its
	 * directory would otherwise vote as if the cluster were new. Does not wait.
	 * @return whether this node may take part in the cluster
	 */
	boolean mayTakePart();

	/**
	 * Records the identity of the directory of a founder for good, unless it is known.
	 * Waits for the disk.
	 * @param node address of a founder
	 * @param directory the identity
	 */
	void record(Endpoint node, String directory);

}
