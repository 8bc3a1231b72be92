package io.statestore.broker.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Keys of the store, with their deadlines and their total size. Contains the entire state
 * of the store except versions and observations. Not thread-safe.
 */
final class KeySpace {

	private static final Duration MAX_EXPIRY = Duration.ofMillis(Long.MAX_VALUE / 2);

	private final KeyTable table = new KeyTable();

	private final TimerWheel timers = new TimerWheel();

	private final LongSupplier nanoClock;

	private final long origin;

	private final Quota quota;

	private long byteCount;

	/**
	 * Time of the current request. Read on first use, because reading the clock takes
	 * longer than most of a request.
	 */
	private long now;

	private boolean nowIsRead;

	/**
	 * Creates an empty key space.
	 * @param nanoClock clock that never goes back, such as {@code System::nanoTime}
	 * @param quota limits of the store
	 */
	KeySpace(LongSupplier nanoClock, Quota quota) {
		this.nanoClock = nanoClock;
		this.origin = nanoClock.getAsLong();
		this.quota = quota;
	}

	/**
	 * Begins a request or an expiry run. The time does not change until the next one, so
	 * that a key cannot expire during a request.
	 */
	void begin() {
		this.nowIsRead = false;
	}

	KeyTable table() {
		return this.table;
	}

	long byteCount() {
		return this.byteCount;
	}

	/** Returns whether an entry has expired. */
	boolean isExpired(Entry entry) {
		return entry.deadline() != TimerWheel.NEVER && entry.deadline() <= nowMillis();
	}

	/**
	 * Returns whether the quota allows a value. A value that is not larger than the one it
	 * replaces is always allowed.
	 */
	boolean hasRoom(@Nullable Entry entry, Bytes key, Bytes value, @Nullable Version fence) {
		if (entry == null && this.table.size() >= this.quota.maxKeys()) {
			return false;
		}
		int added = Entry.weight(key, value, fence) - ((entry != null) ? entry.weight() : 0);
		return added <= this.quota.maxBytes() - this.byteCount;
	}

	/**
	 * Stores a value. Allocates memory before the first change, so that the key is
	 * unchanged if memory is exhausted.
	 * @param entry the entry of the key, {@code null} if the key is absent
	 * @param hash hash of the key
	 * @param set the command
	 * @param keepsValue whether the entry already has the value
	 * @param version version of the change
	 * @param fence the fencing token, {@code null} for none
	 * @return the entry of the key
	 */
	Entry store(@Nullable Entry entry, int hash, Command.Set set, boolean keepsValue, Version version,
			@Nullable Version fence) {
		Duration expiry = set.expiry();
		long deadline = (expiry != null) ? deadlineAfter(expiry) : TimerWheel.NEVER;
		byte @Nullable [] value = keepsValue ? null : set.value().toArray();
		Entry stored = entry;
		if (stored == null) {
			stored = new Entry(hash, set.key());
			this.table.add(stored);
		}
		else {
			this.byteCount -= stored.weight();
		}
		stored.change(value, version, fence);
		this.byteCount += stored.weight();
		if (expiry == null) {
			this.timers.cancel(stored);
		}
		else {
			this.timers.schedule(stored, deadline);
		}
		return stored;
	}

	void remove(Entry entry) {
		this.timers.cancel(entry);
		this.table.remove(entry);
		this.byteCount -= entry.weight();
	}

	/**
	 * Passes expired entries to a consumer, which removes them.
	 * @param limit approximate maximum number of entries
	 * @param expired receives the entries
	 * @return whether more entries have expired
	 */
	boolean takeExpired(int limit, Consumer<Entry> expired) {
		return this.timers.advance(nowMillis(), limit, (node) -> expired.accept((Entry) node));
	}

	/** Returns a lower limit of all deadlines, in the time of the timer wheel. */
	long nextDeadline() {
		return this.timers.nextDeadline();
	}

	/** Returns the nanoseconds until a key may expire, {@link Long#MAX_VALUE} for never. */
	long nanosToNextDeadline() {
		long deadline = this.timers.nextDeadline();
		if (deadline > TimeUnit.NANOSECONDS.toMillis(Long.MAX_VALUE)) {
			return Long.MAX_VALUE;
		}
		return Math.max(0, TimeUnit.MILLISECONDS.toNanos(deadline) - elapsedNanos());
	}

	/** Returns a deadline in whole milliseconds, rounded up so that no key expires early. */
	private long deadlineAfter(Duration expiry) {
		long millis = (expiry.compareTo(MAX_EXPIRY) < 0) ? expiry.toMillis() : MAX_EXPIRY.toMillis();
		return (now() + 999_999) / 1_000_000 + millis;
	}

	private long nowMillis() {
		return now() / 1_000_000;
	}

	private long now() {
		if (!this.nowIsRead) {
			this.now = elapsedNanos();
			this.nowIsRead = true;
		}
		return this.now;
	}

	private long elapsedNanos() {
		return this.nanoClock.getAsLong() - this.origin;
	}

}
