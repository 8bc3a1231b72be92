package io.statestore.broker.server;

import java.util.List;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Keeps every change of a store. Nothing leaves the server that follows from a change, no
 * reply, notification or acknowledgement, before the change is written: what somebody has
 * seen is in the journal.
 * <p>
 * Belongs to one server at a time, which does not close it.
 */
public interface ChangeJournal {

	/**
	 * The version of the last change that was ever written, {@code null} if there is
	 * none. Asked once, when the server starts: its versions go on after it.
	 */
	@Nullable Version last();

	/**
	 * Write changes, all or none. Called by one thread at a time, in the order of the
	 * versions; first, by the thread that starts the server, with a
	 * {@link Change.Operation#START}.
	 * @param changes one or more that came together
	 * @throws RuntimeException if they cannot be written, or it is not known whether they
	 * are. The server refuses all requests then, and calls again with the same changes
	 * until this returns; what is there already must not be written twice
	 */
	void write(List<Change> changes);

}
