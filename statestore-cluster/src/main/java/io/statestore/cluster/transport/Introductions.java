package io.statestore.cluster.transport;

import com.alipay.sofa.jraft.util.Endpoint;

/** Exchange of the identities of directories between founders. Methods do not wait. */
interface Introductions {

	/** Records the directory of a node, and connects to it. */
	void meet(Endpoint peer, String directory);

	/** Ends this node, because a peer knows another directory of it. */
	void lost(String reason);

	/** Connects to a node, which learns the directory of this one from the greeting. */
	void introduce(Endpoint peer);

}
