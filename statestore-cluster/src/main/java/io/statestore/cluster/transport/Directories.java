package io.statestore.cluster.transport;

import com.alipay.sofa.jraft.util.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * What a node knows about the directories of the founders, the first members of its
 * cluster. A founder with another directory than before has lost its votes and entries,
 * and must not take part again. Nodes that joined do not record directories. Thread-safe.
 */
public interface Directories {

	/**
	 * Returns a digest of the founders, a slash, and a digest of the state that they
	 * began with; the latter is empty if they began without a state.
	 * @return the digests, empty for a node that joined
	 */
	String foundersDigest();

	/**
	 * Returns this node's directory ID.
	 * @return the ID, empty for a node that joined
	 */
	String own();

	/**
	 * Returns a founder's directory ID. Does not wait.
	 * @param node address of a node
	 * @return the ID, empty if it is unknown, {@code null} unless both nodes are founders
	 */
	@Nullable String of(Endpoint node);

	/**
	 * Returns whether this node may send and receive messages. A founder that has never
	 * voted may do so once it knows the directories of all founders. Otherwise, a founder
	 * that lost its directory would vote as if the cluster were new. Does not wait.
	 * @return whether this node may take part in the cluster
	 */
	boolean mayTakePart();

	/**
	 * Records a founder's directory ID permanently, unless it is already known. Waits for
	 * the disk.
	 * @param node address of a founder
	 * @param directory the founder's directory ID
	 */
	void record(Endpoint node, String directory);

}
