package io.statestore.cluster.transport;

import com.alipay.sofa.jraft.option.NodeOptions;

/**
 * JRaft node options that contain the node's transport. JRaft has one
 * {@link ClusterRpcFactory} for all nodes in the process, and passes these options to it.
 */
public final class ClusterNodeOptions extends NodeOptions {

	private final PeerTransport transport;

	/**
	 * Creates options.
	 * @param transport the node's transport
	 */
	public ClusterNodeOptions(PeerTransport transport) {
		this.transport = transport;
	}

	PeerTransport transport() {
		return this.transport;
	}

}
