package io.statestore.cluster.transport;

import com.alipay.sofa.jraft.util.Endpoint;

/** Exchanges directory IDs between founders. Methods do not wait. */
interface Introductions {

	/** Records a node's directory, and connects to the node. */
	void meet(Endpoint peer, String directory);

	/** Ends this node, because a peer knows it with another directory. */
	void lost(String reason);

	/** Connects to a node, which learns this node's directory from the greeting. */
	void introduce(Endpoint peer);

}
