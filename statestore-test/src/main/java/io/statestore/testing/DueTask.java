package io.statestore.testing;

/**
 * A task with a deadline.
 *
 * @param dueAt the deadline in nanoseconds of the test time
 * @param order orders tasks with the same deadline
 * @param task runs on the thread that advances the time
 */
record DueTask(long dueAt, long order, Runnable task) implements Comparable<DueTask> {

	void run() {
		this.task.run();
	}

	@Override
	public int compareTo(DueTask other) {
		int byDeadline = Long.compare(this.dueAt, other.dueAt);
		return (byDeadline != 0) ? byDeadline : Long.compare(this.order, other.order);
	}

}
