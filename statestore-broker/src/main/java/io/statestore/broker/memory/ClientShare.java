package io.statestore.broker.memory;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** Memory that one client holds. Thread-safe. */
public final class ClientShare implements AutoCloseable {

	private final ReentrantLock lock = new ReentrantLock();

	/** Bytes held for each purpose, by ordinal of {@link MemoryUse}. */
	private final long[] held = new long[MemoryUse.values().length];

	private final MemoryBudget budget;

	/** Returns the name of the user, empty without a login. */
	private volatile Supplier<String> owner = () -> "";

	/** Bytes held for all purposes. */
	private long total;

	private boolean closed;

	ClientShare(MemoryBudget budget) {
		this.budget = budget;
	}

	/**
	 * Reserves memory, unless a limit of this client or of all clients together would be
	 * exceeded. Reserving 0 bytes succeeds even while a limit is exceeded.
	 * @param use the purpose
	 * @param bytes number of bytes, at least 0
	 * @return whether the memory is reserved, {@code false} after {@link #close()}
	 */
	public boolean tryReserve(MemoryUse use, long bytes) {
		this.lock.lock();
		try {
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
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Reserves memory that is already in use, even above the limits. Has no effect after
	 * {@link #close()}.
	 * @param use the purpose
	 * @param bytes number of bytes, at least 0
	 */
	public void reserve(MemoryUse use, long bytes) {
		this.lock.lock();
		try {
			if (!this.closed) {
				hold(use, bytes);
				this.budget.reserve(use, bytes);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Sets the memory that is in use, even above the limits. Has no effect after
	 * {@link #close()}.
	 * @param use the purpose
	 * @param bytes number of bytes, at least 0
	 */
	public void set(MemoryUse use, long bytes) {
		this.lock.lock();
		try {
			if (!this.closed) {
				long change = bytes - this.held[use.ordinal()];
				hold(use, change);
				this.budget.reserve(use, change);
			}
		}
		finally {
			this.lock.unlock();
		}
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
	 * Sets the user to name when memory is exhausted.
	 * @param owner returns the name of the user, empty without a login
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
	 * Counts a refusal by the caller, without a reservation.
	 * @param use the purpose
	 */
	public void refuse(MemoryUse use) {
		this.budget.countRefusal(use);
	}

	/**
	 * Returns the memory that this client holds.
	 * @return number of bytes
	 */
	public long used() {
		this.lock.lock();
		try {
			return this.total;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Releases reserved memory. Has no effect after {@link #close()}.
	 * @param use the purpose of the reservation
	 * @param bytes number of bytes
	 * @throws IllegalArgumentException if fewer bytes are reserved for that purpose
	 */
	public void release(MemoryUse use, long bytes) {
		this.lock.lock();
		try {
			if (this.closed) {
				return;
			}
			if (bytes > this.held[use.ordinal()]) {
				throw new IllegalArgumentException(
						"Cannot release " + bytes + " bytes of " + use + ": " + this.held[use.ordinal()] + " are held");
			}
			hold(use, -bytes);
			this.budget.release(use, bytes);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Releases all memory of a disconnected client. Has no effect the second time. */
	@Override
	public void close() {
		this.lock.lock();
		try {
			this.closed = true;
			for (MemoryUse use : MemoryUse.values()) {
				this.budget.release(use, this.held[use.ordinal()]);
				this.held[use.ordinal()] = 0;
			}
			this.total = 0;
			this.budget.setHolder(this, false);
		}
		finally {
			this.lock.unlock();
		}
	}

}
