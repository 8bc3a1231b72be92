package io.statestore.client;

import io.statestore.protocol.Version;

/**
 * Proof of when a lock was acquired (protocol section 5). The store refuses a write whose
 * token is older than one that has written the key before, so that a holder that was
 * paused and has lost its lock cannot overwrite what its successor wrote.
 *
 * @param version the version of the acquisition
 */
public record FencingToken(Version version) implements Comparable<FencingToken> {

	@Override
	public int compareTo(FencingToken other) {
		return this.version.compareTo(other.version);
	}

	@Override
	public String toString() {
		return this.version.toString();
	}

}
