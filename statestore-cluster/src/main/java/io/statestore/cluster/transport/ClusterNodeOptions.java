package io.statestore.cluster.transport;

import com.alipay.sofa.jraft.option.NodeOptions;

/**
 * Options of a node of JRaft that name its transport. JRaft has one
 * {@link ClusterRpcFactory} for all nodes of the process, and hands it these options.
 */
public final class ClusterNodeOptions extends NodeOptions {

	private final PeerTransport transport;

	/**
	 * Creates options.
	 * @param transport the transport of the node
	 */
	public ClusterNodeOptions(PeerTransport transport) {
		this.transport = transport;
	}

	PeerTransport transport() {
		return this.transport;
	}

}
