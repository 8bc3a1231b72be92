package io.statestore.broker.server;

import io.statestore.broker.engine.LogEntryCodec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An entry on its way into the replicated log, in its binary form.
 *
 * @param proposal the entry
 * @param bytes the encoded entry, empty if it cannot be written
 * @param outcome called instead of writing the entry, {@code null} if it can be written
 */
record EncodedProposal(Proposal proposal, byte[] bytes, @Nullable Runnable outcome) {

	private static final Logger logger = LoggerFactory.getLogger(EncodedProposal.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	private static final byte[] NONE = new byte[0];

	/**
	 * Encodes an entry.
	 * @param maxBytes maximum size of an entry in the replicated log
	 */
	static EncodedProposal of(Proposal proposal, int maxBytes) {
		byte[] bytes;
		try {
			bytes = LogEntryCodec.encode(proposal.entry());
		}
		catch (RuntimeException ex) {
			logger.error("A command cannot be written to the log; continuing with the next one", ex);
			return new EncodedProposal(proposal, NONE, proposal::failed);
		}
		if ((long) ReplicatedEntry.HEADER_BYTES + Integer.BYTES + bytes.length > maxBytes) {
			clientLog.warn("Refused a write of {} bytes with \"the quota has been exceeded\": the limit of the cluster "
					+ "is {} bytes", bytes.length, maxBytes);
			return new EncodedProposal(proposal, NONE, proposal::rejected);
		}
		return new EncodedProposal(proposal, bytes, null);
	}

	/** Returns the size of the entry in the replicated log, in bytes. */
	int size() {
		return ReplicatedEntry.size(this.bytes);
	}

}
