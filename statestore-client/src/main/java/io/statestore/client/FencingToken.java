package io.statestore.client;

import io.statestore.protocol.Version;

/**
 * Version of a lock acquisition, which protects keys written under the lock (protocol
 * section 5). The store refuses a write whose token is older than a token that has
 * written the key before. A former holder that was paused can therefore not overwrite the
 * writes of its successor.
 * <p>
 * Fencing tokens are described by Martin Kleppmann, <em>How to do distributed
 * locking</em>, 2016.
 *
 * @param version the version of the acquisition
 */
public record FencingToken(Version version) implements Comparable<FencingToken> {

	/** Compares the versions: the token of a later acquisition is greater. */
	@Override
	public int compareTo(FencingToken other) {
		return this.version.compareTo(other.version);
	}

	@Override
	public String toString() {
		return this.version.toString();
	}

}
