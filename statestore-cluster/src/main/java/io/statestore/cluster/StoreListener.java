package io.statestore.cluster;

import io.statestore.broker.server.Replica;
import io.statestore.broker.server.ReplicatedLog;

/** Listener for the role of a node. Called on the thread that applies entries. */
interface StoreListener {

	/**
	 * Called when this node has become the leader, and has applied all entries of earlier
	 * leaders.
	 * @param log the log of this term, for {@link Replica#lead}
	 */
	void leading(ReplicatedLog log);

	/** Called when this node no longer leads, after {@link Replica#follow}. */
	void following();

	/**
	 * Called when this node has failed, and takes part in the cluster no longer.
	 * @param failure the reason
	 */
	void failed(Throwable failure);

}
