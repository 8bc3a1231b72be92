package io.statestore.client.leader;

import io.statestore.client.FencingToken;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.lock.HeldLock;
import org.springframework.integration.leader.Context;

/**
 * Context of one term of a leader. A {@link StateStoreLeaderInitiator} passes it to the
 * candidate and with its events. Once the term has ended, {@link #isLeader()} never
 * returns {@code true} again. Safe for use by several threads.
 */
public interface LeaderContext extends Context {

	/**
	 * Returns the tenure of the lock. After a {@linkplain #yield() yield} or a stop of
	 * the initiator, it stays valid until the candidate has been revoked. The candidate
	 * can use this time to store its progress.
	 * @return the tenure
	 */
	HeldLock heldLock();

	/**
	 * Returns the fencing token of this term. It is greater than the token of every
	 * earlier term. After a restart with an empty store, this only holds if no clock was
	 * ahead of the wall clock of the store.
	 * @return the token
	 */
	default FencingToken token() {
		return heldLock().token();
	}

	/**
	 * Returns operations whose writes are fenced by the token of this term. The store
	 * refuses a write to a key that a later leader has written.
	 * @return fenced operations
	 */
	default StateStoreOperations operations() {
		return heldLock().operations();
	}

	/**
	 * Returns whether this term lasts: it was not ended, and the lock is held. Returns
	 * {@code false} from the end of the lease on, even before the candidate is revoked.
	 * Does not ask the store.
	 * @return whether this process leads
	 */
	@Override
	boolean isLeader();

	/** Ends the term, so that another process can lead. Does not wait. */
	@Override
	void yield();

	/**
	 * Returns the role of the candidate.
	 * @return the role
	 */
	@Override
	String getRole();

}
