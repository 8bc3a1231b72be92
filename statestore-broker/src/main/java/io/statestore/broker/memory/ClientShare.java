package io.statestore.broker.memory;

import java.util.function.Supplier;

/** The memory that one client holds. Thread-safe. */
public final class ClientShare implements AutoCloseable {

	/** Number of bytes held for each purpose, by {@link MemoryUse} ordinal. */
	private final long[] held = new long[MemoryUse.values().length];

	private final MemoryBudget budget;

	/** Returns the user name, empty without a login. */
	private volatile Supplier<String> owner = () -> "";

	/** Number of bytes held for all purposes. */
	private long total;

	private boolean closed;

	ClientShare(MemoryBudget budget) {
		this.budget = budget;
	}

	/**
	 * Reserves memory unless this would exceed the limit for this client or for all
	 * clients together. Reserving 0 bytes succeeds even while a limit is exceeded.
	 * @param use the purpose
	 * @param bytes number of bytes, at least 0
	 * @return whether the memory was reserved; {@code false} after {@link #close()}
	 */
	public synchronized boolean tryReserve(MemoryUse use, long bytes) {
		if (this.closed) {
			return false;
		}
		if (bytes == 0) {
			return true;
		}
		if (bytes > this.budget.maxBytesPerClient() - this.total
				|| !this.budget.tryReserve(use, bytes, this.total + bytes)) {
			this.budget.countRefusal(use);
			return false;
		}
		hold(use, bytes);
		return true;
	}

	/**
	 * Reserves memory that is already in use, even if the limits are then exceeded. Has
	 * no effect after {@link #close()}.
	 * @param use the purpose
	 * @param bytes number of bytes, at least 0
	 */
	public synchronized void reserve(MemoryUse use, long bytes) {
		if (!this.closed) {
			hold(use, bytes);
			this.budget.reserve(use, bytes);
		}
	}

	/**
	 * Sets the memory in use for a purpose, even if the limits are then exceeded. Has no
	 * effect after {@link #close()}.
	 * @param use the purpose
	 * @param bytes number of bytes, at least 0
	 */
	public synchronized void set(MemoryUse use, long bytes) {
		reserve(use, bytes - this.held[use.ordinal()]);
	}

	private void hold(MemoryUse use, long bytes) {
		boolean held = this.total > 0;
		this.held[use.ordinal()] += bytes;
		this.total += bytes;
		if (held != this.total > 0) {
			this.budget.setHolder(this, !held);
		}
	}

	/**
	 * Sets the user to name in messages when memory is exhausted.
	 * @param owner returns the user name, empty without a login
	 */
	public void setOwner(Supplier<String> owner) {
		this.owner = owner;
	}

	String owner() {
		return this.owner.get();
	}

	/**
	 * Returns the user that holds the most memory of all.
	 * @return an object for a log message, see {@link MemoryBudget#largestHolder()}
	 */
	public Object largestHolder() {
		return this.budget.largestHolder();
	}

	/**
	 * Counts a refusal by the caller, which has not tried to reserve memory.
	 * @param use the purpose
	 */
	public void refuse(MemoryUse use) {
		this.budget.countRefusal(use);
	}

	/**
	 * Returns how much memory this client holds.
	 * @return number of bytes
	 */
	public synchronized long used() {
		return this.total;
	}

	/**
	 * Releases reserved memory. Has no effect after {@link #close()}.
	 * @param use the purpose of the reservation
	 * @param bytes number of bytes
	 * @throws IllegalArgumentException if fewer bytes are reserved for this purpose
	 */
	public synchronized void release(MemoryUse use, long bytes) {
		if (this.closed) {
			return;
		}
		if (bytes > this.held[use.ordinal()]) {
			throw new IllegalArgumentException(
					"Cannot release " + bytes + " bytes of " + use + ": " + this.held[use.ordinal()] + " are held");
		}
		reserve(use, -bytes);
	}

	/** Releases all memory of a disconnected client. Later calls have no effect. */
	@Override
	public synchronized void close() {
		for (MemoryUse use : MemoryUse.values()) {
			set(use, 0);
		}
		this.closed = true;
	}

}
