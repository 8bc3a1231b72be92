package io.statestore.client.leader;

import io.statestore.client.FencingToken;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.lock.Tenure;
import org.springframework.integration.leader.Context;

/**
 * One term of a leader, as {@link StateStoreLeaderInitiator} passes it to its candidate
 * and with the events. It stays that of its term: once that has ended it never leads
 * again. Safe for use by several threads.
 */
public interface LeaderContext extends Context {

	/**
	 * The tenure of the lock that makes it the leader. After a {@linkplain #yield()
	 * yield} and when the initiator stops it is valid until the candidate has been
	 * revoked, so that it can store where it stands.
	 */
	Tenure tenure();

	/** Greater than the token of every leader before. */
	default FencingToken token() {
		return tenure().token();
	}

	/**
	 * The store, with every write fenced by the token of this term: what a leader writes
	 * through it after another has written is refused by the store itself.
	 */
	default StateStoreOperations operations() {
		return tenure().operations();
	}

	/**
	 * Whether this term lasts, as far as that can be known without asking: it turns false
	 * when the lease ends, whether or not the candidate has been told yet.
	 */
	@Override
	boolean isLeader();

	/** End the term and let others lead. Returns at once. */
	@Override
	void yield();

	/** What the candidate leads. */
	@Override
	String getRole();

}
