package io.statestore.broker.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** The contents of the store: the keys, their deadlines, and their total size. */
final class KeySpace {

	private static final Duration MAX_EXPIRY = Duration.ofMillis(Long.MAX_VALUE / 2);

	private final KeyTable table = new KeyTable();

	private final TimerWheel timers = new TimerWheel();

	private final LongSupplier nanoClock;

	private final long origin;

	private final Quota quota;

	private long byteCount;

	/**
	 * Time of the current request. It is read on first use, because reading the clock
	 * takes longer than most of the work of a request.
	 */
	private long now;

	private boolean nowIsRead;

	/**
	 * Creates an empty key space.
	 * @param nanoClock a monotonic clock, such as {@code System::nanoTime}
	 */
	KeySpace(LongSupplier nanoClock, Quota quota) {
		this.nanoClock = nanoClock;
		this.origin = nanoClock.getAsLong();
		this.quota = quota;
	}

	/**
	 * Starts a request. Its time is fixed on first use, so a key does not expire in the
	 * middle of a request.
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

	/** Returns whether the deadline of an entry has passed. */
	boolean isExpired(Entry entry) {
		return entry.deadline() != TimerWheel.NEVER && entry.deadline() <= nowMillis();
	}

	/**
	 * Returns whether the quota permits a value. Replacing a value by one of at most the
	 * same size is always permitted.
	 */
	boolean hasRoom(@Nullable Entry entry, Bytes key, Bytes value, @Nullable Version fence) {
		if (entry == null && this.table.size() >= this.quota.maxKeys()) {
			return false;
		}
		int added = Entry.weight(key, value, fence) - ((entry != null) ? entry.weight() : 0);
		return added <= this.quota.maxBytes() - this.byteCount;
	}

	/**
	 * Stores a key. Allocates all memory before the first change, so a key is unchanged
	 * if memory runs out.
	 * @param entry the entry of the key, or {@code null} if it is absent
	 * @param hash the hash of the key
	 * @param set the command
	 * @param keepsValue whether the entry already has the value
	 * @param version the version of the change
	 * @param fence the fencing token, or {@code null} for none
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
	 * Passes expired entries to a consumer, in the order of their deadlines.
	 * @return whether there are more
	 */
	boolean takeExpired(int limit, Consumer<Entry> expired) {
		return this.timers.advance(nowMillis(), limit, (node) -> expired.accept((Entry) node));
	}

	/** Returns a time of the timer wheel before which no key expires. */
	long nextDeadline() {
		return this.timers.nextDeadline();
	}

	/**
	 * Returns the nanoseconds until a key may expire, {@link Long#MAX_VALUE} if no key
	 * has an expiry.
	 */
	long nanosToNextDeadline() {
		long deadline = this.timers.nextDeadline();
		if (deadline > TimeUnit.NANOSECONDS.toMillis(Long.MAX_VALUE)) {
			return Long.MAX_VALUE;
		}
		return Math.max(0, TimeUnit.MILLISECONDS.toNanos(deadline) - elapsedNanos());
	}

	/**
	 * Returns a deadline in whole milliseconds, rounded up so that no key expires early.
	 */
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
