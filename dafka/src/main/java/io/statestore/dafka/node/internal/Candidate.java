package io.statestore.dafka.node.internal;

import io.statestore.dafka.Bytes;

/**
 * A node to connect to.
 *
 * @param id id from its beacon
 * @param endpoint endpoint from its beacon
 * @param host host of the endpoint, a name or an address
 * @param heardAt time of the beacon in nanoseconds
 */
record Candidate(Bytes id, String endpoint, String host, long heardAt) {

	static Candidate of(Bytes id, String endpoint, long now) {
		return new Candidate(id, endpoint, endpoint.substring("tcp://".length(), endpoint.lastIndexOf(':')), now);
	}

}
