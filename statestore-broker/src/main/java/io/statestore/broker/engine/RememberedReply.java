package io.statestore.broker.engine;

import io.statestore.protocol.Bytes;

/**
 * A remembered answer to a write.
 *
 * @param key the correlation data of the request, which is not copied
 * @param digest the digest of the request's payload
 * @param answer the answer
 * @param since log time of the answer in nanoseconds
 */
record RememberedReply(byte[] key, int digest, Answer answer, long since) {

	Bytes correlationData() {
		return Bytes.wrap(this.key);
	}

	boolean hasCorrelationData(Bytes correlationData) {
		return correlationData.contentEquals(this.key);
	}

	boolean isOlderThan(long nanos, long now) {
		return now - this.since > nanos;
	}

	/** Returns the estimated heap in bytes. */
	int bytes() {
		return ClientReplies.REPLY_COST + this.key.length;
	}

}
