package io.statestore.client.internal;

import java.time.Duration;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import org.jspecify.annotations.Nullable;

/**
 * Check of the writes without a fencing token on a thread that holds a lock. Checks the
 * writes of templates with the same connection. Belongs to the thread that
 * {@linkplain #enter() entered} it.
 */
public abstract class WriteGuard {

	/** Innermost guard of each thread. Static, because templates know no locks. */
	private static final ThreadLocal<@Nullable WriteGuard> INNERMOST = new ThreadLocal<>();

	private final Object connection;

	private @Nullable WriteGuard outer;

	/**
	 * Creates a guard.
	 * @param connection invoker that the template of the lock was created with
	 */
	protected WriteGuard(Object connection) {
		this.connection = connection;
	}

	/**
	 * Returns the innermost guard of the calling thread.
	 * @return the guard, {@code null} if there is none
	 */
	protected static @Nullable WriteGuard innermost() {
		return INNERMOST.get();
	}

	/**
	 * Returns the guard that was the innermost when the thread entered this one.
	 * @return the guard, {@code null} if there is none
	 */
	public final @Nullable WriteGuard outer() {
		return this.outer;
	}

	/** Makes this the innermost guard of the calling thread. */
	protected final void enter() {
		this.outer = INNERMOST.get();
		INNERMOST.set(this);
	}

	/** Removes this guard from the calling thread. Guards need not be nested. */
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
	 * Checks a command without a fencing token with all guards of the thread, and returns
	 * its timeout.
	 * @param connection invoker that the template was created with
	 * @param write the command
	 * @param timeout timeout of the command
	 * @return the timeout, or a shorter one
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
	 * @param key the key in the store
	 * @param timeout timeout of the write
	 * @return the timeout, or a shorter one. A write that waits for a connection is not
	 * sent after it
	 * @throws RuntimeException to refuse the write
	 */
	protected abstract Duration check(Bytes key, Duration timeout);

}
