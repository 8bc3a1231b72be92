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
 * The whole state of the store: the keys, their deadlines and what they weigh. Another
 * home than memory would begin here.
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
	 * Read when it is first needed: a look takes longer than most of what a request does.
	 */
	private long now;

	private boolean nowIsRead;

	/**
	 * @param nanoClock a clock that never goes back, such as {@code System::nanoTime}
	 */
	KeySpace(LongSupplier nanoClock, Quota quota) {
		this.nanoClock = nanoClock;
		this.origin = nanoClock.getAsLong();
		this.quota = quota;
	}

	/**
	 * A request begins. Time stands still until the next one: what it once finds alive is
	 * so until its end.
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

	/** Whether the deadline of an entry has come. */
	boolean isExpired(Entry entry) {
		return entry.deadline() != TimerWheel.NEVER && entry.deadline() <= nowMillis();
	}

	/**
	 * Whether the quota allows a value; one that takes no more than it replaces always
	 * fits.
	 */
	boolean hasRoom(@Nullable Entry entry, Bytes key, Bytes value, @Nullable Version fence) {
		if (entry == null && this.table.size() >= this.quota.maxKeys()) {
			return false;
		}
		int added = Entry.weight(key, value, fence) - ((entry != null) ? entry.weight() : 0);
		return added <= this.quota.maxBytes() - this.byteCount;
	}

	/**
	 * Stores a key, with a new value unless it keeps its own. Allocates everything before
	 * it changes anything, so that the key is as it was if memory runs out.
	 * @param entry the entry of the key, {@code null} if it is absent
	 * @param hash of the key
	 * @param set the command
	 * @param keepsValue whether the entry has the value already
	 * @param version of the change
	 * @param fence the fencing token, {@code null} without one
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
	 * Hand over entries whose deadline has come.
	 * @return whether there are more
	 */
	boolean takeExpired(int limit, Consumer<Entry> expired) {
		return this.timers.advance(nowMillis(), limit, (node) -> expired.accept((Entry) node));
	}

	/** No key expires before this time of the timer wheel. */
	long nextDeadline() {
		return this.timers.nextDeadline();
	}

	/** Nanoseconds until a deadline may come, {@link Long#MAX_VALUE} if there is none. */
	long nanosToNextDeadline() {
		long deadline = this.timers.nextDeadline();
		if (deadline > TimeUnit.NANOSECONDS.toMillis(Long.MAX_VALUE)) {
			return Long.MAX_VALUE;
		}
		return Math.max(0, TimeUnit.MILLISECONDS.toNanos(deadline) - elapsedNanos());
	}

	/** In whole milliseconds, rounded up: no key may live shorter than it was told to. */
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
