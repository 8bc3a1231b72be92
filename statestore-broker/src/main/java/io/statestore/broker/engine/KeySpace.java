package io.statestore.broker.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** The store's contents: keys, their deadlines, and their total size. */
final class KeySpace {

	/** Deadline of keys that do not expire. */
	static final long NEVER = Long.MAX_VALUE;

	/** About 8,900 years. Later deadlines count as never, as in earlier versions. */
	private static final long MAX_DEADLINE = (1L << 48) - 1;

	private static final Duration MAX_EXPIRY = Duration.ofMillis(Long.MAX_VALUE / 2);

	private static final long NANOS_PER_MILLI = 1_000_000;

	/**
	 * Latest deadline in milliseconds whose log time in nanoseconds fits into a
	 * {@code long}.
	 */
	private static final long MAX_MILLIS = Long.MAX_VALUE / NANOS_PER_MILLI;

	private static final Comparator<Entry> BY_DEADLINE = Comparator.comparingLong(Entry::deadline)
		.thenComparing(Entry::version);

	/**
	 * Total size at which a list of due keys is full, so that a log entry stays small.
	 */
	private static final int MAX_DUE_BYTES = 1 << 20;

	/** Time by which places are updated early. */
	private static final long AHEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private KeyTable table;

	/** Keys that expire. */
	private final NavigableSet<Entry> expiring = new TreeSet<>(Entry::compareByPlace);

	private final KeyOwners owners = new KeyOwners();

	private Quota quota = Quota.UNLIMITED;

	private long byteCount;

	/** Log time of the last entry. */
	private long logTime;

	private @Nullable StateSnapshot snapshot;

	KeySpace(KeyTable table) {
		this.table = table;
	}

	/** Replaces the table of an empty key space. */
	void seed(long seed) {
		this.table = new KeyTable(seed);
	}

	void limit(Quota quota) {
		this.quota = quota;
	}

	Quota quota() {
		return this.quota;
	}

	KeyTable table() {
		return this.table;
	}

	KeyOwners owners() {
		return this.owners;
	}

	long byteCount() {
		return this.byteCount;
	}

	long logTime() {
		return this.logTime;
	}

	/** Starts an entry. Ignores a log time before the current log time. */
	void advance(long logTime) {
		this.logTime = Math.max(this.logTime, logTime);
	}

	/** Sets the log time of an empty key space. */
	void startAt(long logTime) {
		this.logTime = logTime;
	}

	/**
	 * Sets the snapshot that receives the state of keys before they change.
	 * @param snapshot the snapshot, or {@code null} for none
	 */
	void setSnapshot(@Nullable StateSnapshot snapshot) {
		this.snapshot = snapshot;
	}

	@Nullable StateSnapshot snapshot() {
		return this.snapshot;
	}

	/** Returns whether the deadline of an entry has passed. */
	boolean isExpired(Entry entry) {
		return isDue(entry, this.logTime);
	}

	static boolean isDue(Entry entry, long logTime) {
		return entry.deadline() <= logTime / NANOS_PER_MILLI;
	}

	/**
	 * Returns the whole milliseconds until an entry expires, -1 if it never does. Rounds
	 * down, because {@link #deadlineAfter} rounds up.
	 */
	static long timeToLive(Entry entry, long logTime) {
		return (entry.deadline() != NEVER)
				? entry.deadline() - logTime / NANOS_PER_MILLI - ((logTime % NANOS_PER_MILLI > 0) ? 1 : 0) : -1;
	}

	/**
	 * Returns whether the quota permits a value. Replacing a value with a value of the
	 * same or a smaller size is always permitted.
	 */
	boolean hasRoom(@Nullable Entry entry, Bytes key, Bytes value, @Nullable Version fence) {
		if (entry == null && this.table.size() >= this.quota.maxKeys()) {
			return false;
		}
		int added = Entry.weight(key, value, fence) - ((entry != null) ? entry.weight() : 0);
		return added <= this.quota.maxBytes() - this.byteCount;
	}

	/**
	 * Returns whether the quota permits another key of a principal.
	 * @param principal the name of the principal, or {@code null} for an anonymous client
	 */
	boolean hasRoom(@Nullable String principal) {
		return principal == null || this.owners.keysOf(principal) < this.quota.maxKeysPerUser();
	}

	/**
	 * Returns a deadline in whole milliseconds, rounded up so that no key expires early.
	 */
	long deadlineAfter(@Nullable Duration expiry) {
		if (expiry == null) {
			return NEVER;
		}
		long millis = (expiry.compareTo(MAX_EXPIRY) < 0) ? expiry.toMillis() : MAX_EXPIRY.toMillis();
		long now = this.logTime / NANOS_PER_MILLI;
		long deadline = now + millis + ((this.logTime % NANOS_PER_MILLI > 0) ? 1 : 0);
		return (deadline <= MAX_DEADLINE) ? deadline : NEVER;
	}

	/**
	 * Adds a key that is absent.
	 * @param entry the new entry
	 * @param deadline the deadline, or {@link #NEVER}
	 */
	void add(Entry entry, long deadline) {
		this.table.add(entry);
		this.byteCount += entry.weight();
		schedule(entry, deadline);
		this.owners.added(entry.owner());
	}

	/**
	 * Changes a key. Allocates all memory before the first change, so a key is unchanged
	 * if memory runs out.
	 * @param entry the entry of the key
	 * @param value the new value, which is not copied, or {@code null} to leave the value
	 * unchanged
	 * @param version the version of the change
	 * @param fence the fencing token, or {@code null} for none
	 * @param persistent whether the key survives a restart
	 * @param deadline the deadline, or {@link #NEVER}
	 */
	void change(Entry entry, byte @Nullable [] value, Version version, @Nullable Version fence, boolean persistent,
			long deadline) {
		keep(entry);
		this.byteCount -= entry.weight();
		entry.change(value, version, fence, persistent);
		this.byteCount += entry.weight();
		schedule(entry, deadline);
	}

	void remove(Entry entry) {
		keep(entry);
		schedule(entry, NEVER);
		this.table.remove(entry);
		this.owners.removed(entry.owner());
		this.byteCount -= entry.weight();
	}

	/**
	 * Changes a deadline. An entry whose deadline moves into the future keeps its place
	 * until its earlier deadline is reached, so renewals take constant time.
	 */
	private void schedule(Entry entry, long deadline) {
		entry.setDeadline(deadline);
		if (deadline == NEVER || deadline < entry.scheduled()) {
			place(entry, deadline);
		}
	}

	private void place(Entry entry, long deadline) {
		if (entry.scheduled() != NEVER) {
			this.expiring.remove(entry);
		}
		entry.setScheduled(deadline);
		if (deadline != NEVER) {
			this.expiring.add(entry);
		}
	}

	/**
	 * Returns entries whose deadline has passed. Moves others to their present deadline,
	 * including those whose turn comes soon, so that many leases cause few wake-ups.
	 */
	private List<Entry> dueEntries(long logTime, int limit) {
		List<Entry> due = new ArrayList<>();
		for (Entry entry : this.expiring) {
			if (entry.scheduled() > (logTime + AHEAD_NANOS) / NANOS_PER_MILLI || due.size() == limit) {
				break;
			}
			due.add(entry);
		}
		due.removeIf((entry) -> {
			if (!isDue(entry, logTime) && entry.deadline() != entry.scheduled()) {
				place(entry, entry.deadline());
			}
			return !isDue(entry, logTime);
		});
		return due;
	}

	private void keep(Entry entry) {
		if (this.snapshot != null) {
			this.snapshot.keep(entry);
		}
	}

	/** Returns all expired entries, ordered by deadline, then by version. */
	List<Entry> expired() {
		List<Entry> expired = dueEntries(this.logTime, Integer.MAX_VALUE);
		expired.sort(BY_DEADLINE);
		return expired;
	}

	/** Returns keys whose deadline has passed at a log time. */
	List<Bytes> due(long logTime, int limit) {
		List<Bytes> due = new ArrayList<>();
		long bytes = 0;
		for (Entry entry : dueEntries(logTime, limit)) {
			if (bytes >= MAX_DUE_BYTES) {
				break;
			}
			due.add(entry.key());
			bytes += entry.key().length();
		}
		return due;
	}

	/** Returns a log time before which no key is due. */
	long nextDeadline() {
		long deadline = this.expiring.isEmpty() ? NEVER : this.expiring.first().scheduled();
		return (deadline <= MAX_MILLIS) ? TimeUnit.MILLISECONDS.toNanos(deadline) : Long.MAX_VALUE;
	}

	/** Returns the entries that do not survive a restart, in table order. */
	List<Entry> volatileEntries() {
		List<Entry> result = new ArrayList<>();
		for (long position = 0; position < KeyTable.END; position = this.table.endOfBucket(position)) {
			for (Entry entry = this.table.bucketAt(position); entry != null; entry = this.table.next(entry)) {
				if (!entry.isPersistent()) {
					result.add(entry);
				}
			}
		}
		return result;
	}

}
