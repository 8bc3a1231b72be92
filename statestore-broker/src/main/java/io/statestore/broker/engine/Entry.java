package io.statestore.broker.engine;

import java.util.Arrays;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A key with its value, version, and fencing token. An entry is also its own node in the
 * table, and holds the key and value as plain arrays. With a million keys, memory access
 * dominates an operation's time, so there are as few objects as possible.
 */
class Entry {

	private static final byte[] NOTHING = {};

	final int hash;

	private final byte[] key;

	/** Index of the next entry in the bucket, or 0. */
	int nextInBucket;

	private byte[] value = NOTHING;

	private @Nullable Version fence;

	private long deadline = KeySpace.NEVER;

	/** Deadline by which this entry is placed among those that expire. */
	private long scheduled = KeySpace.NEVER;

	/**
	 * Wall time of the version, shifted by one bit. The lowest bit is set if the last SET
	 * was persistent. A separate field would enlarge the object by eight bytes.
	 */
	private long millisAndPersistence;

	private int versionCounter;

	/**
	 * Size in bytes, stored so that a write does not have to read the old value from
	 * memory.
	 */
	private int weight;

	/** Creates an entry that keeps an array without copying it. */
	Entry(int hash, byte[] key) {
		this.hash = hash;
		this.key = key;
		this.weight = this.key.length;
	}

	boolean hasKey(Bytes key) {
		return key.contentEquals(this.key);
	}

	Bytes key() {
		return Bytes.wrap(this.key);
	}

	Bytes value() {
		return Bytes.wrap(this.value);
	}

	/**
	 * Returns the version of the last change. Its node id is always the server's.
	 */
	Version version() {
		return new Version(this.millisAndPersistence >>> 1, this.versionCounter, VersionClock.NODE_ID);
	}

	/**
	 * Returns whether the entry's version is at most another version from the same store.
	 */
	boolean isUpTo(Version version) {
		long millis = this.millisAndPersistence >>> 1;
		return millis < version.wallMillis()
				|| (millis == version.wallMillis() && this.versionCounter <= version.counter());
	}

	/** Returns whether the last SET requested that the key survive a restart. */
	boolean isPersistent() {
		return (this.millisAndPersistence & 1) != 0;
	}

	/**
	 * Returns the principal that created the key, or {@code null} if an anonymous client
	 * did.
	 */
	@Nullable KeyOwner owner() {
		return null;
	}

	/** Returns whether this entry precedes another entry in the table. */
	boolean isBefore(Entry other) {
		return compareKeys(other) < 0;
	}

	private int compareKeys(Entry other) {
		return (this.hash != other.hash) ? Integer.compareUnsigned(this.hash, other.hash)
				: Arrays.compareUnsigned(this.key, other.key);
	}

	/** Compares entries by their place among those that expire. */
	static int compareByPlace(Entry one, Entry other) {
		return (one.scheduled != other.scheduled) ? Long.compare(one.scheduled, other.scheduled)
				: one.compareKeys(other);
	}

	/**
	 * Returns when the key expires.
	 * @return log time in milliseconds, {@link KeySpace#NEVER} if it does not
	 */
	long deadline() {
		return this.deadline;
	}

	void setDeadline(long deadline) {
		this.deadline = deadline;
	}

	long scheduled() {
		return this.scheduled;
	}

	void setScheduled(long scheduled) {
		this.scheduled = scheduled;
	}

	/**
	 * Returns the fencing token that protects the key, or {@code null} if it is
	 * unprotected.
	 */
	@Nullable Version fence() {
		return this.fence;
	}

	/**
	 * Returns the size of the key, the value, and the fencing token's node id, in bytes.
	 */
	int weight() {
		return this.weight;
	}

	static int weight(Bytes key, Bytes value, @Nullable Version fence) {
		return key.length() + value.length() + nodeLength(fence);
	}

	private static int nodeLength(@Nullable Version fence) {
		return (fence != null) ? fence.nodeId().length() : 0;
	}

	/**
	 * Changes the value, version, fencing token, and persistence without allocating
	 * memory.
	 * @param value the new value, which this entry keeps without copying it, or
	 * {@code null} to leave the value unchanged, which avoids a garbage collector write
	 * barrier
	 * @param version the version of the change
	 * @param fence the fencing token, or {@code null} for none
	 * @param persistent whether the key survives a restart
	 */
	void change(byte @Nullable [] value, Version version, @Nullable Version fence, boolean persistent) {
		if (value != null) {
			this.value = value;
			this.weight = this.key.length + this.value.length + nodeLength(fence);
		}
		else {
			this.weight += nodeLength(fence) - nodeLength(this.fence);
		}
		this.fence = fence;
		this.millisAndPersistence = (version.wallMillis() << 1) | (persistent ? 1 : 0);
		this.versionCounter = version.counter();
	}

}
