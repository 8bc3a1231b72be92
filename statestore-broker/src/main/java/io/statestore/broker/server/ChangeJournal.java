package io.statestore.broker.server;

import java.util.List;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Journal of all changes of a store. The server sends no reply, notification, or
 * acknowledgment that depends on a change before the change is written. Everything that a
 * client has seen is therefore in the journal.
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
	 * versions. The first call, with a {@link Change.Operation#START}, is made by the
	 * thread that starts the server.
	 * @param changes one or more changes
	 * @throws RuntimeException if the changes are not written, or if the outcome is
	 * unknown. The server then refuses all requests and repeats the call with the same
	 * changes until it succeeds. Changes that are already written must not be written
	 * twice
	 */
	void write(List<Change> changes);

}
