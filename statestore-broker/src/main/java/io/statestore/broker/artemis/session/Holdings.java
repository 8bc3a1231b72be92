package io.statestore.broker.artemis.session;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryUse;
import org.jspecify.annotations.Nullable;

/**
 * Memory reserved for addresses or queues of one kind, by their names. Thread-safe.
 */
final class Holdings {

	private final Map<String, Holding> holdings = new ConcurrentHashMap<>();

	private final MemoryUse use;

	/** Share for memory that no client has requested, such as topics of wills. */
	private final ClientShare unclaimed;

	private final LongSupplier nanoTime;

	/**
	 * Creates an empty collection.
	 * @param use purpose of the memory
	 * @param unclaimed share for memory that no client has requested
	 * @param nanoTime returns monotonic time in nanoseconds
	 */
	Holdings(MemoryUse use, ClientShare unclaimed, LongSupplier nanoTime) {
		this.use = use;
		this.unclaimed = unclaimed;
		this.nanoTime = nanoTime;
	}

	@Nullable Holding get(String name) {
		return this.holdings.get(name);
	}

	void forEach(BiConsumer<String, Holding> action) {
		this.holdings.forEach(action);
	}

	/** Passes holdings that are idle for a certain time to an action. */
	void forEachIdle(Duration time, BiConsumer<String, Holding> action) {
		this.holdings.forEach((name, holding) -> {
			if (isIdle(holding, time)) {
				action.accept(name, holding);
			}
		});
	}

	boolean isIdle(Holding holding, Duration time) {
		return holding.isIdle(this.nanoTime.getAsLong(), time);
	}

	/** Sets the time of the latest use of a holding to now. */
	void use(Holding holding) {
		holding.use(this.nanoTime.getAsLong());
	}

	/**
	 * Reserves memory, unless there is a holding. Counts as a use.
	 * @param memory the share of the client that uses it
	 * @param name name of the address
	 * @param bytes size of a new holding
	 * @return whether there is a holding now
	 */
	boolean tryUse(ClientShare memory, String name, long bytes) {
		Holding holding = this.holdings.computeIfAbsent(name,
				(absent) -> memory.tryReserve(this.use, bytes) ? create(memory, bytes) : null);
		if (holding != null) {
			use(holding);
		}
		return holding != null;
	}

	/** Adds a holding that no client has requested, unless there is one. */
	void adopt(String name, long bytes) {
		this.holdings.computeIfAbsent(name, (absent) -> {
			this.unclaimed.reserve(this.use, bytes);
			return create(this.unclaimed, bytes);
		});
	}

	private Holding create(ClientShare memory, long bytes) {
		return new Holding(memory, bytes, this.nanoTime.getAsLong());
	}

	/**
	 * Replaces a holding, unless memory is exhausted.
	 * @param memory the share of the client
	 * @param name name of the queue
	 * @param bytes size of the new holding
	 * @param cleared whether the retained message of the queue is cleared
	 * @return whether it is replaced
	 */
	boolean tryReplace(ClientShare memory, String name, long bytes, boolean cleared) {
		Holding wanted = create(memory, bytes);
		wanted.setCleared(cleared);
		return this.holdings.compute(name, (key, known) -> replacement(known, wanted)) == wanted;
	}

	/** Returns the new holding, or the known one if memory is exhausted. */
	private @Nullable Holding replacement(@Nullable Holding known, Holding wanted) {
		long reusable = (known != null && known.memory() == wanted.memory()) ? known.bytes() : 0;
		if (!wanted.memory().tryReserve(this.use, Math.max(0, wanted.bytes() - reusable))) {
			return known;
		}
		if (known != null) {
			long kept = Math.min(reusable, wanted.bytes());
			known.memory().release(this.use, known.bytes() - kept);
		}
		return wanted;
	}

	/**
	 * Reserves additional memory, even above the limits, unless a holding was replaced.
	 */
	void grow(String name, Holding holding, long additional) {
		this.holdings.computeIfPresent(name, (key, known) -> {
			if (known != holding) {
				return known;
			}
			known.memory().reserve(this.use, additional);
			return known.grownBy(additional);
		});
	}

	/** Releases a holding. */
	void release(String name) {
		Holding removed = this.holdings.remove(name);
		if (removed != null) {
			removed.memory().release(this.use, removed.bytes());
		}
	}

	/** Releases a holding if it meets a condition. No use of it begins meanwhile. */
	void releaseIf(String name, Predicate<Holding> condition) {
		this.holdings.computeIfPresent(name, (key, holding) -> {
			if (!condition.test(holding)) {
				return holding;
			}
			holding.memory().release(this.use, holding.bytes());
			return null;
		});
	}

}
