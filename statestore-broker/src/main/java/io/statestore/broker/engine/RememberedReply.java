package io.statestore.broker.engine;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;

/**
 * A remembered reply. Only replies to writes are remembered, and these are small. There
 * may be very many, so each consists of as few objects as possible.
 */
final class RememberedReply {

	private static final long NO_VERSION = -1;

	private final byte[] correlationData;

	private final int digest;

	private final Reply reply;

	/** Wall time of the version, {@link #NO_VERSION} if the answer has none. */
	private final long versionMillis;

	private final int versionCounter;

	private final long since;

	/**
	 * Creates a reply.
	 * @param correlationData the correlation data of the request, which is not copied
	 * @param digest the digest of the request's payload
	 * @param answer the answer; its version, if any, was issued by the store
	 * @param since log time of the answer in nanoseconds
	 */
	RememberedReply(byte[] correlationData, int digest, Answer answer, long since) {
		this.correlationData = correlationData;
		this.digest = digest;
		this.reply = answer.reply();
		Version version = answer.version();
		this.versionMillis = (version != null) ? version.wallMillis() : NO_VERSION;
		this.versionCounter = (version != null) ? version.counter() : 0;
		this.since = since;
	}

	Bytes correlationData() {
		return Bytes.wrap(this.correlationData);
	}

	boolean hasCorrelationData(Bytes correlationData) {
		return correlationData.contentEquals(this.correlationData);
	}

	int digest() {
		return this.digest;
	}

	Answer answer() {
		return new Answer(this.reply, (this.versionMillis != NO_VERSION)
				? new Version(this.versionMillis, this.versionCounter, VersionClock.NODE_ID) : null);
	}

	long since() {
		return this.since;
	}

	boolean isOlderThan(long nanos, long now) {
		return now - this.since > nanos;
	}

	/** Returns the estimated heap in bytes. */
	int bytes() {
		return ClientReplies.REPLY_COST + this.correlationData.length;
	}

}
