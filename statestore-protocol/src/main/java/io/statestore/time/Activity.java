package io.statestore.time;

/**
 * Work under way that has no task of its own, such as messages on the network. A
 * {@link TimeSource} that tests control does not advance before this work has ended.
 * Thread-safe.
 */
@FunctionalInterface
public interface Activity {

	/** Activity of a time source that passes regardless of any work. */
	Activity UNTRACKED = (change) -> {
	};

	/**
	 * Reports that work has begun or ended. Work that causes other work must end after
	 * the other work has begun.
	 * @param change number of begun minus number of ended pieces of work
	 */
	void add(int change);

	/** Ends all work of this activity. Later changes have no effect. */
	default void close() {
	}

}
