package io.statestore.broker.server;

import java.util.List;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Journal of all changes of a store. A thread of its own writes the changes after they
 * were applied. Replies and notifications do not wait for it. If the journal cannot be
 * written for long, changes are omitted, and it receives the content of the store
 * afterwards.
 * <p>
 * A store with a directory repeats changes from its log if the journal has lost them in a
 * crash. A store in memory cannot.
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
	 * Returns whether the content of the store after a {@link Change.Operation#GAP} is
	 * incomplete at the end of the journal. The server then writes it again. Called once,
	 * after {@link #last()}.
	 * @return whether the latest {@link Change.Operation#COMPLETE} is older than the
	 * latest gap
	 */
	boolean isAfterGap();

	/**
	 * Writes changes, all or none. Called by one thread at a time, in the order of the
	 * versions. If the store starts without keys, the first call has a
	 * {@link Change.Operation#START}, and the start of the server waits for it at most 30
	 * seconds. If the journal lacks changes that the server cannot provide, the first
	 * call has a {@link Change.Operation#GAP} instead.
	 * @param changes one or more changes
	 * @throws RuntimeException if the changes are not written, or if the outcome is
	 * unknown. The server then repeats the call with the same changes until it succeeds.
	 * Changes that are already written must not be written twice
	 */
	void write(List<Change> changes);

	/**
	 * Returns whether the journal needs the content of the store, although no changes are
	 * missing, for example because it will remove the records that its content consists
	 * of. The server then writes a {@link Change.Operation#CONTENT}, the content, and a
	 * {@link Change.Operation#COMPLETE}, between the changes of clients. Called by the
	 * same thread as {@link #write}, after it.
	 * @return whether the content is needed, {@code false} by default
	 */
	default boolean isContentDue() {
		return false;
	}

	/**
	 * Waits until all written changes survive a failure of the machine. Called by the
	 * same thread as {@link #write}, before the server deletes its own record of them.
	 * @throws RuntimeException if the changes are not on the disk, or if the outcome is
	 * unknown. The server then repeats the call until it succeeds
	 */
	void force();

}
