package io.statestore.client.lock;

/**
 * Policies for writes without a fencing token on a thread that holds a lock. If the lock
 * is lost, the store cannot refuse such writes.
 * <p>
 * The check covers templates that use the lock's connection. It does not cover other
 * threads that work for a section, ShedLock tasks, and the library's own writes, such as
 * writes by locks and caches.
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
