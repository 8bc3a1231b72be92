package io.statestore.broker.memory;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Limits the memory of all clients of a server. Each client holds its memory in a
 * {@link ClientShare}, which has its own limit, so that a single client cannot exhaust
 * the budget. Three uses have additional limits:
 * <ul>
 * <li>Memory that outlives its connection, such as retained messages, may take half of
 * the budget.
 * <li>A quarter is reserved for connections and small clients, so that they are served
 * even if a few clients hold the rest of the budget.
 * <li>Connections whose CONNECT has not arrived may take a sixteenth. Logins may take
 * another sixteenth, see {@link #maxForLogins}, which the login queue enforces.
 * </ul>
 * Sizes are estimates of heap, not measurements. Thread-safe.
 */
public final class MemoryBudget {

	/** Divisor of the budget for the default maximum per client. */
	private static final int CLIENT_DIVISOR = 4;

	/** Divisor of the budget for memory that outlives its connection. */
	private static final int LASTING_DIVISOR = 2;

	/** Divisor of the budget for the part reserved for connections and small clients. */
	private static final int RESERVED_DIVISOR = 4;

	/** Divisor of the budget for connections before their CONNECT, and for logins. */
	private static final int CONNECTING_DIVISOR = 16;

	/**
	 * Divisor of the maximum per client. A client that holds no more than the quotient is
	 * small.
	 */
	private static final int SMALL_DIVISOR = 64;

	/** A client that holds no more than this is always small, in bytes. */
	private static final long MIN_SMALL = 64 * 1024;

	private final long maxBytes;

	private final long maxBytesPerClient;

	private final AtomicLong used = new AtomicLong();

	/** Memory in use in bytes, by {@link MemoryUse} ordinal. */
	private final AtomicLongArray usedFor = new AtomicLongArray(MemoryUse.values().length);

	/** Number of refusals, by {@link MemoryUse} ordinal. */
	private final AtomicLongArray refused = new AtomicLongArray(MemoryUse.values().length);

	/** Shares that hold memory. */
	private final Set<ClientShare> holders = ConcurrentHashMap.newKeySet();

	/**
	 * Creates a budget.
	 * @param maxBytes maximum for all clients together in bytes, at least 1
	 * @param maxBytesPerClient maximum per client in bytes, at least 1
	 * @throws IllegalArgumentException if a maximum is less than 1
	 */
	public MemoryBudget(long maxBytes, long maxBytesPerClient) {
		this.maxBytes = requirePositive("maxBytes", maxBytes);
		this.maxBytesPerClient = requirePositive("maxBytesPerClient", maxBytesPerClient);
	}

	private static long requirePositive(String name, long value) {
		if (value < 1) {
			throw new IllegalArgumentException("'" + name + "' must be at least 1, but is " + value);
		}
		return value;
	}

	/**
	 * Creates a budget of which a single client may hold a quarter.
	 * @param maxBytes maximum for all clients together in bytes, at least 1
	 * @return a new budget
	 */
	public static MemoryBudget of(long maxBytes) {
		return new MemoryBudget(maxBytes, Math.max(1, maxBytes / CLIENT_DIVISOR));
	}

	/**
	 * Creates a budget without limits.
	 * @return a new budget
	 */
	public static MemoryBudget unlimited() {
		return new MemoryBudget(Long.MAX_VALUE, Long.MAX_VALUE);
	}

	/**
	 * Creates a share for a client.
	 * @return an empty share, which must be closed when the client has disconnected
	 */
	public ClientShare open() {
		return new ClientShare(this);
	}

	/**
	 * Returns the user that holds the most memory, with its size.
	 * @return an object for a log message. It visits the shares only when it is converted
	 * to a string, so an omitted message costs nothing
	 */
	public Object largestHolder() {
		return new Object() {

			@Override
			public String toString() {
				Map<String, Long> bytes = new HashMap<>();
				MemoryBudget.this.holders.forEach((share) -> bytes.merge(share.owner(), share.used(), Long::sum));
				return bytes.entrySet()
					.stream()
					.max(Map.Entry.comparingByValue())
					.map((most) -> (most.getKey().isEmpty() ? "clients without a login"
							: "user '" + most.getKey() + '\'') + ", " + most.getValue() + " bytes")
					.orElse("no client");
			}

		};
	}

	void setHolder(ClientShare share, boolean holds) {
		if (holds) {
			this.holders.add(share);
		}
		else {
			this.holders.remove(share);
		}
	}

	/**
	 * Returns the maximum for all clients together.
	 * @return number of bytes
	 */
	public long maxBytes() {
		return this.maxBytes;
	}

	/**
	 * Returns the maximum per client.
	 * @return number of bytes
	 */
	public long maxBytesPerClient() {
		return this.maxBytesPerClient;
	}

	/**
	 * Returns the maximum for memory that outlives its connection.
	 * @return number of bytes
	 */
	public long maxLasting() {
		return this.maxBytes / LASTING_DIVISOR;
	}

	/**
	 * Returns the maximum for logins that are waiting or being verified.
	 * @return number of bytes
	 */
	public long maxForLogins() {
		return this.maxBytes / CONNECTING_DIVISOR;
	}

	/**
	 * Returns the memory that all clients hold.
	 * @return number of bytes
	 */
	public long used() {
		return this.used.get();
	}

	/**
	 * Returns the memory that all clients hold for a purpose.
	 * @param use the purpose
	 * @return number of bytes
	 */
	public long used(MemoryUse use) {
		return this.usedFor.get(use.ordinal());
	}

	/**
	 * Returns the number of refused reservations for a purpose.
	 * @param use the purpose
	 * @return number of refusals since this budget was created
	 */
	public long refused(MemoryUse use) {
		return this.refused.get(use.ordinal());
	}

	/**
	 * Returns the memory in use and the number of refusals.
	 * @return a snapshot
	 */
	public MemoryStatistics statistics() {
		Map<MemoryUse, Long> used = new EnumMap<>(MemoryUse.class);
		Map<MemoryUse, Long> refusals = new EnumMap<>(MemoryUse.class);
		for (MemoryUse use : MemoryUse.values()) {
			used.put(use, used(use));
			refusals.put(use, refused(use));
		}
		return new MemoryStatistics(this.maxBytes, this.maxBytesPerClient, used(), used, refusals);
	}

	/**
	 * Reserves memory within the limits for all clients together.
	 * @param use the purpose
	 * @param bytes number of bytes to reserve
	 * @param held the client's memory after the reservation, in bytes
	 * @return whether the memory was reserved
	 */
	boolean tryReserve(MemoryUse use, long bytes, long held) {
		long max = isSmall(use, held) ? this.maxBytes : this.maxBytes - this.maxBytes / RESERVED_DIVISOR;
		long before = this.used.getAndUpdate((used) -> (bytes <= max - used) ? used + bytes : used);
		if (bytes > max - before) {
			return false;
		}
		long ofUse = this.usedFor.addAndGet(use.ordinal(), bytes);
		if (use == MemoryUse.CONNECTING && ofUse > this.maxBytes / CONNECTING_DIVISOR) {
			reserve(use, -bytes);
			return false;
		}
		return true;
	}

	/** Returns whether a client may use the reserved part. */
	private boolean isSmall(MemoryUse use, long held) {
		return switch (use) {
			case CONNECTING, LOGIN, CONNECTION -> true;
			case INCOMING -> false;
			default -> held <= Math.max(MIN_SMALL, this.maxBytesPerClient / SMALL_DIVISOR);
		};
	}

	/** Reserves memory even if the limits are then exceeded. */
	void reserve(MemoryUse use, long bytes) {
		this.usedFor.addAndGet(use.ordinal(), bytes);
		this.used.addAndGet(bytes);
	}

	void countRefusal(MemoryUse use) {
		this.refused.incrementAndGet(use.ordinal());
	}

}
