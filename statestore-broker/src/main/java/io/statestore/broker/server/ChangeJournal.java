package io.statestore.broker.server;

import java.util.List;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Journal of all changes of a store. A thread of its own writes the changes after they
 * were applied. Replies and notifications do not wait for it.
 * <p>
 * Belongs to one server at a time, which does not close it.
 */
public interface ChangeJournal {

	/**
	 * Returns the version of the last written change. Called once, when the server
	 * starts. Its versions continue from there.
	 * @return the version, or {@code null} if the journal is empty
	 */
	@Nullable Version last();

	/**
	 * Writes changes, all or none. Called by one thread at a time, in the order of the
	 * versions. If the store starts without keys, the first call has a
	 * {@link Change.Operation#START}, and is made by the thread that starts the server.
	 * @param changes one or more changes
	 * @throws RuntimeException if the changes are not written, or if the outcome is
	 * unknown. The server then repeats the call with the same changes until it succeeds.
	 * Changes that are already written must not be written twice
	 */
	void write(List<Change> changes);

}
