package io.statestore.broker.server;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * A log that several nodes replicate by consensus, as seen by the leader. Valid for one
 * leadership term, from {@link Replica#lead} to {@link Replica#follow}. Entries are
 * committed in the order in which they are proposed. Thread-safe. No method blocks.
 */
public interface ReplicatedLog {

	/** Outcome of an entry that this node does not apply as its own entry. */
	enum Outcome {

		/**
		 * The log does not contain the entry, and never will, for example because the
		 * disk is full.
		 */
		REJECTED,

		/**
		 * The entry may or may not be committed. The leadership has probably ended.
		 */
		UNKNOWN

	}

	/**
	 * Proposes an entry. Once it is committed, {@link Replica#apply} is called on every
	 * node; on this node, it receives {@code batch}. Otherwise, {@code failed} may be
	 * called, on any thread. If neither happens before a later entry from this node is
	 * applied, the entry is not in the log.
	 * @param entry the entry, which does not change afterward
	 * @param batch passed to {@link Replica#apply} on this node
	 * @param failed receives the outcome if the entry may never be committed
	 * @return {@code false} if the entry was not proposed because this node is currently
	 * not the leader or too many entries are in flight. In that case, nothing is called,
	 * and the entry may be proposed again
	 */
	boolean propose(ByteBuffer entry, Object batch, Consumer<Outcome> failed);

	/**
	 * Proposes an entry without which the store cannot serve requests, see
	 * {@link #propose}. While the disk is full, the entry may use reserved space.
	 * @param entry the entry, which does not change afterward
	 * @param batch passed to {@link Replica#apply} on this node
	 * @param failed receives the outcome if the entry may never be committed
	 * @return {@code false} if the entry was not proposed, and may be proposed again
	 */
	default boolean proposeEssential(ByteBuffer entry, Object batch, Consumer<Outcome> failed) {
		return propose(entry, batch, failed);
	}

	/**
	 * Confirms the leadership by asking a majority of the nodes rather than relying on a
	 * clock.
	 * @param result called exactly once, on any thread. Receives whether this node was
	 * the leader in this log's term at some time after this call
	 */
	void confirm(Consumer<Boolean> result);

	/**
	 * Returns whether this node's disk has space for entries.
	 * @return {@code false} while the disk is full
	 */
	boolean hasSpace();

	/**
	 * Returns the maximum size of an entry.
	 * @return the size in bytes
	 */
	int maxEntryBytes();

}
