package io.statestore.broker.engine;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A key with its value, version, expiry, and fencing token. It is also the node of the
 * table and of the timer wheel, and it holds plain arrays, because with a million keys an
 * operation takes as long as its cache misses.
 */
final class Entry extends TimerWheel.Node {

	private static final byte[] NOTHING = {};

	final int hash;

	private final byte[] key;

	@Nullable Entry nextInBucket;

	private byte[] value = NOTHING;

	private @Nullable Version fence;

	private long versionMillis;

	private int versionCounter;

	/** Size, stored because reading the length of the value costs a cache miss. */
	private int weight;

	Entry(int hash, Bytes key) {
		this.hash = hash;
		this.key = key.toArray();
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

	/** Returns the version of the last change, which has the node id of the server. */
	Version version() {
		return new Version(this.versionMillis, this.versionCounter, VersionClock.NODE_ID);
	}

	/** Returns the fencing token that protects the key, {@code null} for none. */
	@Nullable Version fence() {
		return this.fence;
	}

	/** Returns the size of the key, the value, and the node id of the token. */
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
	 * Changes the value, the version, and the fencing token. Allocates no memory.
	 * @param value the new value, which is not copied; {@code null} to keep the value,
	 * which causes less work for the garbage collector
	 * @param version version of the change
	 * @param fence the fencing token, {@code null} for none
	 */
	void change(byte @Nullable [] value, Version version, @Nullable Version fence) {
		if (value != null) {
			this.value = value;
			this.weight = this.key.length + this.value.length + nodeLength(fence);
		}
		else {
			this.weight += nodeLength(fence) - nodeLength(this.fence);
		}
		this.fence = fence;
		this.versionMillis = version.wallMillis();
		this.versionCounter = version.counter();
	}

}
