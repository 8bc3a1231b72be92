package io.statestore.client.internal;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import org.jspecify.annotations.Nullable;

/**
 * Checks writes without a fencing token while their thread holds a lock. Covers templates
 * that share the lock's connection. A guard belongs to the thread that
 * {@linkplain #enter() entered} it.
 */
public abstract class WriteGuard {

	/**
	 * Guards of each thread, innermost first. Static, because templates do not know about
	 * locks.
	 */
	private static final ThreadLocal<@Nullable Deque<WriteGuard>> ENTERED = new ThreadLocal<>();

	private final Object connection;

	/**
	 * Creates a guard.
	 * @param connection invoker that the lock's template was created with
	 */
	protected WriteGuard(Object connection) {
		this.connection = connection;
	}

	/**
	 * Returns the guards of the calling thread.
	 * @return the guards, innermost first
	 */
	protected static Collection<WriteGuard> entered() {
		Deque<WriteGuard> entered = ENTERED.get();
		return (entered != null) ? entered : Collections.emptyList();
	}

	/** Makes this the innermost guard of the calling thread. */
	protected final void enter() {
		Deque<WriteGuard> entered = ENTERED.get();
		if (entered == null) {
			entered = new ArrayDeque<>();
			ENTERED.set(entered);
		}
		entered.addFirst(this);
	}

	/** Removes this guard from the calling thread. Guards can be removed in any order. */
	protected final void leave() {
		Collection<WriteGuard> entered = entered();
		if (entered.remove(this) && entered.isEmpty()) {
			ENTERED.remove();
		}
	}

	/**
	 * Checks a command without a fencing token against all guards of the calling thread,
	 * and returns the timeout to use.
	 * @param connection invoker that the command's template was created with
	 * @param write the command
	 * @param timeout the command's timeout
	 * @return the timeout, or a shorter timeout
	 */
	public static Duration check(Object connection, Command.Write write, Duration timeout) {
		Duration shortest = timeout;
		for (WriteGuard guard : entered()) {
			if (guard.connection.equals(connection)) {
				shortest = guard.check(write.key(), shortest);
			}
		}
		return shortest;
	}

	/**
	 * Checks a write without a fencing token, which has not been sent yet.
	 * @param key the key in the store, including any prefix
	 * @param timeout the write's timeout
	 * @return the timeout, or a shorter timeout, after which a write that waits for a
	 * connection is no longer sent
	 * @throws RuntimeException to refuse the write
	 */
	protected abstract Duration check(Bytes key, Duration timeout);

}
