package io.statestore.client;

import io.statestore.protocol.Version;

/**
 * Version of a lock acquisition, which protects keys written under the lock (protocol
 * section 5). The store refuses a write if the key was already written with a newer
 * token. A former holder that was paused therefore cannot overwrite its successor's
 * writes.
 * <p>
 * Fencing tokens are described by Martin Kleppmann, <em>How to do distributed
 * locking</em>, 2016.
 *
 * @param version the version that the store assigned to the acquisition
 */
public record FencingToken(Version version) implements Comparable<FencingToken> {

	/** Compares the versions. A later acquisition has a greater token. */
	@Override
	public int compareTo(FencingToken other) {
		return this.version.compareTo(other.version);
	}

	@Override
	public String toString() {
		return this.version.toString();
	}

}
