package io.statestore.client.lock;

/**
 * Treatment of a write without a fencing token on a thread that holds a lock. The store
 * cannot refuse such a write when the lock is lost.
 * <p>
 * The check covers the templates of the same connection. It does not cover other threads
 * of a section, the tasks of ShedLock, and the library's own writes, such as those of
 * locks and caches.
 */
public enum UnfencedWrites {

	/** The write is sent, even if the lock is lost. */
	ALLOW,

	/**
	 * The write is sent and logged as a warning, at most once a minute for each lock. Its
	 * timeout ends with the lease. If the lock is lost, the write is not sent, and throws
	 * {@link LockLostException}.
	 */
	WARN,

	/**
	 * The write is not sent, and throws {@link IllegalStateException}. If the lock is
	 * lost, it throws {@link LockLostException}.
	 */
	REFUSE

}
