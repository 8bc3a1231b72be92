package io.statestore.client.internal;

import java.time.Duration;

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
	 * Innermost guard of each thread. Static, because templates do not know about locks.
	 */
	private static final ThreadLocal<@Nullable WriteGuard> INNERMOST = new ThreadLocal<>();

	private final Object connection;

	private @Nullable WriteGuard outer;

	/**
	 * Creates a guard.
	 * @param connection invoker that the lock's template was created with
	 */
	protected WriteGuard(Object connection) {
		this.connection = connection;
	}

	/**
	 * Returns the innermost guard of the calling thread.
	 * @return the guard, {@code null} for none
	 */
	protected static @Nullable WriteGuard innermost() {
		return INNERMOST.get();
	}

	/**
	 * Returns the guard that was innermost when the thread entered this guard.
	 * @return the guard, {@code null} for none
	 */
	public final @Nullable WriteGuard outer() {
		return this.outer;
	}

	/** Makes this the innermost guard of the calling thread. */
	protected final void enter() {
		this.outer = INNERMOST.get();
		INNERMOST.set(this);
	}

	/** Removes this guard from the calling thread. Guards can be removed in any order. */
	protected final void leave() {
		WriteGuard guard = INNERMOST.get();
		if (guard == this) {
			if (this.outer != null) {
				INNERMOST.set(this.outer);
			}
			else {
				INNERMOST.remove();
			}
			return;
		}
		while (guard != null && guard.outer != this) {
			guard = guard.outer;
		}
		if (guard != null) {
			guard.outer = this.outer;
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
		for (WriteGuard guard = INNERMOST.get(); guard != null; guard = guard.outer) {
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
