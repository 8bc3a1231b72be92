package io.statestore.testing;

import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/** Tasks that wait for their deadlines. Thread-safe. */
final class DueTasks {

	private final TreeSet<DueTask> tasks = new TreeSet<>();

	private long count;

	synchronized DueTask add(long dueAt, Runnable task) {
		DueTask added = new DueTask(dueAt, this.count++, task);
		this.tasks.add(added);
		return added;
	}

	synchronized void remove(DueTask task) {
		this.tasks.remove(task);
	}

	/** Removes and returns the first task that is due, {@code null} if none is. */
	synchronized @Nullable DueTask poll(long now) {
		return (!this.tasks.isEmpty() && this.tasks.first().dueAt() <= now) ? this.tasks.pollFirst() : null;
	}

}
