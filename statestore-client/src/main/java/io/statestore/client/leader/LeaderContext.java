package io.statestore.client.leader;

import io.statestore.client.FencingToken;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.lock.HeldLock;
import org.springframework.integration.leader.Context;

/**
 * Context of a leader's term. A {@link StateStoreLeaderInitiator} passes it to the
 * candidate and includes it in events. Once the term has ended, {@link #isLeader()} never
 * returns {@code true} again. Thread-safe.
 */
public interface LeaderContext extends Context {

	/**
	 * Returns this term's tenure of the lock. After a {@linkplain #yield() yield} or a
	 * stop of the initiator, the tenure stays valid until the candidate has been revoked,
	 * so the candidate can store its progress.
	 * @return the tenure
	 */
	HeldLock heldLock();

	/**
	 * Returns the fencing token of this term. It is greater than the token of every
	 * earlier term. If the store restarts empty, this is guaranteed only if no clock was
	 * ahead of the store's wall clock.
	 * @return the fencing token
	 */
	default FencingToken token() {
		return heldLock().token();
	}

	/**
	 * Returns operations whose writes are fenced by this term's token. The store refuses
	 * writes to keys that a later leader has written.
	 * @return fenced operations
	 */
	default StateStoreOperations operations() {
		return heldLock().operations();
	}

	/**
	 * Returns whether this term continues: it was not ended, and the lock is held.
	 * Returns {@code false} once the lease has ended, even before the candidate is
	 * revoked. Does not access the store.
	 * @return whether this process leads
	 */
	@Override
	boolean isLeader();

	/** Ends the term, so that another process can lead. Does not wait. */
	@Override
	void yield();

	/**
	 * Returns the candidate's role.
	 * @return the role
	 */
	@Override
	String getRole();

}
