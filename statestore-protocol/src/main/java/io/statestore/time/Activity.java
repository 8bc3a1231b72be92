package io.statestore.time;

/**
 * Work in progress that is not a task, such as messages on the network. A
 * {@link TimeSource} that tests control does not advance until this work has ended.
 * Thread-safe.
 */
@FunctionalInterface
public interface Activity {

	/** The activity of a time source that advances regardless of work. */
	Activity UNTRACKED = (change) -> {
	};

	/**
	 * Reports that work has begun or ended. If work causes other work, its end must be
	 * reported after the other work has begun.
	 * @param change number of work items that have begun minus number that have ended
	 */
	void add(int change);

	/** Ends all work of this activity. Later changes have no effect. */
	default void close() {
	}

}
