package io.statestore.client.leader;

import io.statestore.client.FencingToken;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.lock.Tenure;
import org.springframework.integration.leader.Context;

/**
 * One term of a leader, passed to the candidate and with the events of a
 * {@link StateStoreLeaderInitiator}. Once its term has ended it never leads again. Safe
 * for use by several threads.
 */
public interface LeaderContext extends Context {

	/**
	 * Returns the tenure of the lock. After a {@linkplain #yield() yield}, and when the
	 * initiator stops, it stays valid until the candidate has been revoked. The candidate
	 * can thus store its progress.
	 * @return the tenure
	 */
	Tenure tenure();

	/**
	 * Returns the fencing token of this term. It is greater than the token of every
	 * earlier term. A store that restarts empty resumes from its wall clock; then this
	 * holds only if no clock was ahead of that one.
	 * @return the token
	 */
	default FencingToken token() {
		return tenure().token();
	}

	/**
	 * Returns the store, with every write fenced by the token of this term. The store
	 * refuses a write to a key that a later leader has written.
	 * @return fenced operations
	 */
	default StateStoreOperations operations() {
		return tenure().operations();
	}

	/**
	 * Returns whether this term lasts, as far as this process knows. Returns
	 * {@code false} from the end of the lease, even before the candidate is revoked.
	 * @return whether this process leads
	 */
	@Override
	boolean isLeader();

	/** Ends the term, so that another process can lead. Returns at once. */
	@Override
	void yield();

	/**
	 * Returns the role of the candidate.
	 * @return the role
	 */
	@Override
	String getRole();

}
