package io.statestore.cluster.transport;

import com.alipay.sofa.jraft.util.Endpoint;

/** Determines whether messages reach a node. Lets tests simulate partitions. */
@FunctionalInterface
public interface Reachability {

	/** All messages arrive. */
	Reachability ALL = (from, to) -> true;

	/**
	 * Returns whether messages from one node reach another node. If not, they are dropped
	 * silently.
	 * @param from the sending node
	 * @param to the receiving node
	 * @return whether messages arrive
	 */
	boolean reaches(Endpoint from, Endpoint to);

}
