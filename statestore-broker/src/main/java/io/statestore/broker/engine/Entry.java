package io.statestore.broker.engine;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A key with everything the store knows of it. One object that is also the node of the
 * table and of the timer wheel: at a million keys it is memory, not work, that an
 * operation waits for.
 */
final class Entry extends TimerWheel.Node {

	final Bytes key;

	final int hash;

	@Nullable Entry nextInBucket;

	private Bytes value = Bytes.EMPTY;

	private @Nullable Version fence;

	private long versionMillis;

	private int versionCounter;

	/** Kept, because asking the old value for its length means to wait for it. */
	private int weight;

	Entry(int hash, Bytes key) {
		this.hash = hash;
		this.key = key;
		this.weight = key.length();
	}

	Bytes value() {
		return this.value;
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
		return key.length() + value.length() + ((fence != null) ? fence.nodeId().length() : 0);
	}

	void change(Bytes value, Version version, @Nullable Version fence) {
		if (this.value != value) {
			// Saves the garbage collector a look at this entry.
			this.value = value;
		}
		this.fence = fence;
		this.versionMillis = version.wallMillis();
		this.versionCounter = version.counter();
		this.weight = weight(this.key, value, fence);
	}

}
