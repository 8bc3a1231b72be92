package io.statestore.cluster.transport;

import com.alipay.sofa.jraft.util.Endpoint;

/** Whether messages reach a node. For tests of partitions. */
@FunctionalInterface
public interface Reachability {

	/** All messages arrive. */
	Reachability ALL = (from, to) -> true;

	/**
	 * Returns whether messages from one node reach another one. Others are lost silently.
	 * @param from the sender
	 * @param to the receiver
	 * @return whether the message arrives
	 */
	boolean reaches(Endpoint from, Endpoint to);

}
