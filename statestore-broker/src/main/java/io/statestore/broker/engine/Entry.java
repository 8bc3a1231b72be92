package io.statestore.broker.engine;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A key with everything the store knows of it. One object that is also the node of the
 * table and of the timer wheel: at a million keys it is memory, not work, that an
 * operation waits for. For the same reason key and value are arrays here, without an
 * object around them.
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

	/** Kept, because asking the old value for its length means to wait for it. */
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

	/** The version of the last change; its node is always the server. */
	Version version() {
		return new Version(this.versionMillis, this.versionCounter, VersionClock.NODE_ID);
	}

	/** The fencing token that protects the key, {@code null} if none does. */
	@Nullable Version fence() {
		return this.fence;
	}

	/** Bytes of what clients have chosen: key, value and the node of the token. */
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
	 * Changes the value and what goes with it. Allocates nothing.
	 * @param value an array that this entry may keep; {@code null} to keep the value it
	 * has, which saves the garbage collector a look at this entry
	 * @param version of the change
	 * @param fence the fencing token, {@code null} without one
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
