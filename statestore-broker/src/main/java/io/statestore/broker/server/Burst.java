package io.statestore.broker.server;

import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The packets that an event loop reads from one connection. What they cause together,
 * such as an entry of the log or the wake-up of another event loop, is done once, at
 * their end.
 * <p>
 * Internal: not part of the API.
 */
public final class Burst {

	/** Actions at the end of the burst of this thread, {@code null} outside a burst. */
	private static final ThreadLocal<@Nullable Set<Runnable>> current = new ThreadLocal<>();

	private Burst() {
	}

	/** Begins a burst on this thread, unless it has begun. */
	public static void begin() {
		if (current.get() == null) {
			current.set(new LinkedHashSet<>());
		}
	}

	/** Ends the burst of this thread, if there is one. */
	public static void end() {
		Set<Runnable> actions = current.get();
		if (actions != null) {
			current.remove();
			actions.forEach(Runnable::run);
		}
	}

	/**
	 * Runs an action at the end of the burst of this thread, or now if there is none.
	 * @param action the action, which runs once for each burst
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
