package io.statestore.broker.artemis.session;

import java.time.Duration;

import io.statestore.broker.memory.ClientShare;
import org.jspecify.annotations.Nullable;

/** Memory reserved for one topic or queue. Thread-safe. */
final class Holding {

	private final ClientShare memory;

	private final long bytes;

	/** Monotonic time of the latest use in nanoseconds. */
	private volatile long usedAt;

	/** Whether the latest retained message had no payload. */
	private volatile boolean cleared;

	/** Latest use when a sweep found the queue empty. Used only by the sweep. */
	private @Nullable Long emptySince;

	/**
	 * Creates a holding.
	 * @param memory the share in which the memory is reserved
	 * @param bytes number of reserved bytes
	 * @param usedAt monotonic time of its use in nanoseconds
	 */
	Holding(ClientShare memory, long bytes, long usedAt) {
		this.memory = memory;
		this.bytes = bytes;
		this.usedAt = usedAt;
	}

	/** Returns the share in which the memory is reserved. */
	ClientShare memory() {
		return this.memory;
	}

	/** Returns the number of reserved bytes. */
	long bytes() {
		return this.bytes;
	}

	/** Sets the time of the latest use. */
	void use(long nanoTime) {
		this.usedAt = nanoTime;
	}

	/** Returns whether the latest use was at least a certain time ago. */
	boolean isIdle(long nanoTime, Duration time) {
		return nanoTime - this.usedAt >= time.toNanos();
	}

	/** Returns whether the latest retained message had no payload. */
	boolean isCleared() {
		return this.cleared;
	}

	void setCleared(boolean cleared) {
		this.cleared = cleared;
	}

	/**
	 * Handles a sweep that finds the queue empty.
	 * @return whether the previous sweep found it empty too, without a use since
	 */
	boolean foundEmpty() {
		Long used = this.usedAt;
		boolean again = used.equals(this.emptySince);
		this.emptySince = used;
		return again;
	}

	/** Handles a sweep that finds a message in the queue. */
	void foundMessage() {
		this.emptySince = null;
	}

	/**
	 * Returns a holding of more bytes, which the caller has reserved.
	 * @param additional number of additional bytes
	 */
	Holding grownBy(long additional) {
		Holding grown = new Holding(this.memory, this.bytes + additional, this.usedAt);
		grown.cleared = this.cleared;
		return grown;
	}

}
