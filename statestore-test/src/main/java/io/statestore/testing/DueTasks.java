package io.statestore.testing;

import java.util.Comparator;
import java.util.NavigableSet;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/** Tasks waiting for a {@link TestTime}, and its clock. Thread-safe. */
final class DueTasks {

	private final NavigableSet<Task> tasks = new TreeSet<>(
			Comparator.comparingLong(Task::dueAt).thenComparingLong(Task::order));

	/** Nanoseconds since the start. */
	private volatile long nanos;

	private long count;

	/** Returns the nanoseconds since the start. */
	long nanos() {
		return this.nanos;
	}

	/**
	 * Adds a task.
	 * @param delay delay in nanoseconds
	 * @param action short action, run by the thread that advances the time
	 */
	synchronized Task add(long delay, Runnable action) {
		Task added = new Task(this.nanos + Math.max(0, delay), this.count++, action);
		this.tasks.add(added);
		return added;
	}

	synchronized void remove(Task task) {
		this.tasks.remove(task);
	}

	/**
	 * Lets time pass and runs the tasks that become due.
	 * @param duration time to pass, in nanoseconds
	 * @param rest run before the first task and after each task
	 */
	void advance(long duration, Runnable rest) {
		long end = this.nanos + duration;
		rest.run();
		for (Task next = poll(end); next != null; next = poll(end)) {
			this.nanos = Math.max(this.nanos, next.dueAt());
			next.action().run();
			rest.run();
		}
		this.nanos = end;
	}

	/** Removes and returns the first task that is due; {@code null} if there is none. */
	private synchronized @Nullable Task poll(long now) {
		return (!this.tasks.isEmpty() && this.tasks.first().dueAt() <= now) ? this.tasks.pollFirst() : null;
	}

	/**
	 * A task with a deadline.
	 *
	 * @param dueAt deadline in nanoseconds since the start
	 * @param order determines the order of tasks with the same deadline
	 * @param action run when the deadline has passed
	 */
	record Task(long dueAt, long order, Runnable action) {
	}

}
