package io.statestore.broker.server;

import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The packets that an event loop reads from one connection at a time. Work that can be
 * shared, such as proposing a log entry or waking up another event loop, is done once, at
 * the end of the burst.
 * <p>
 * Internal: not part of the API.
 */
public final class Burst {

	/** Actions to run at the end of this thread's burst, {@code null} outside a burst. */
	private static final ThreadLocal<@Nullable Set<Runnable>> current = new ThreadLocal<>();

	private Burst() {
	}

	/** Begins a burst on this thread, unless it has already begun. */
	public static void begin() {
		if (current.get() == null) {
			current.set(new LinkedHashSet<>());
		}
	}

	/** Ends this thread's burst, if any. */
	public static void end() {
		Set<Runnable> actions = current.get();
		if (actions != null) {
			current.remove();
			actions.forEach(Runnable::run);
		}
	}

	/**
	 * Runs an action at the end of this thread's burst, or immediately outside a burst.
	 * @param action the action, which runs only once per burst even if it is passed
	 * repeatedly
	 */
	public static void atEnd(Runnable action) {
		Set<Runnable> actions = current.get();
		if (actions != null) {
			actions.add(action);
		}
		else {
			action.run();
		}
	}

}
