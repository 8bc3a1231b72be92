package io.statestore.dafka.node.internal;

import io.statestore.dafka.Bytes;

/**
 * An announced node to connect to.
 *
 * @param id ID in its beacon
 * @param endpoint endpoint in its beacon
 * @param host the endpoint's host name or IP address
 * @param heardAt time when the beacon arrived, in nanoseconds
 */
record Candidate(Bytes id, String endpoint, String host, long heardAt) {

	static Candidate of(Bytes id, String endpoint, long now) {
		return new Candidate(id, endpoint, endpoint.substring("tcp://".length(), endpoint.lastIndexOf(':')), now);
	}

}
