package io.statestore.dafka.node.internal;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A node to connect to.
 *
 * @param id id from its beacon
 * @param endpoint endpoint from its beacon
 * @param host host of the endpoint, a name or an address
 * @param address resolved endpoint, or {@code null} before resolution, or if it fails
 * @param heardAt time of the beacon in nanoseconds
 */
record Candidate(Bytes id, String endpoint, String host, @Nullable String address, long heardAt) {

	/** Returns a candidate whose host is not resolved yet. */
	static Candidate of(Bytes id, String endpoint, long now) {
		String host = endpoint.substring("tcp://".length(), endpoint.lastIndexOf(':'));
		return new Candidate(id, endpoint, host, null, now);
	}

	/** Returns a copy with a resolved endpoint. */
	Candidate at(@Nullable String address) {
		return new Candidate(this.id, this.endpoint, this.host, address, this.heardAt);
	}

}
