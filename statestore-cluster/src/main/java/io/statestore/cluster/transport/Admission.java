package io.statestore.cluster.transport;

import org.jspecify.annotations.Nullable;

/** Room on the disk for what other nodes send. Thread-safe. */
public interface Admission {

	/**
	 * Returns whether to accept a snapshot.
	 * @return {@code false} if the disk is full
	 */
	boolean hasSpace();

	/**
	 * Reserves room for a request with entries of the log. Must not wait.
	 * @param bytes size of the request
	 * @return returns the room when the request is answered, {@code null} if there is
	 * none
	 */
	@Nullable Runnable admit(int bytes);

}
