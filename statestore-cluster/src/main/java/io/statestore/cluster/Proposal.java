package io.statestore.cluster;

import java.util.concurrent.CompletableFuture;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.error.RaftError;
import org.jspecify.annotations.Nullable;

/** A proposed entry of this node. JRaft calls it if the entry may not be committed. */
final class Proposal implements Closure {

	private final Proposals proposals;

	private final long bytes;

	private final @Nullable Object attachment;

	private final CompletableFuture<Long> result = new CompletableFuture<>();

	/**
	 * Creates a proposal.
	 * @param bytes space that the entry needs on the disk, in bytes
	 * @param attachment passed to the machine of this node, or {@code null}
	 */
	Proposal(Proposals proposals, long bytes, @Nullable Object attachment) {
		this.proposals = proposals;
		this.bytes = bytes;
		this.attachment = attachment;
	}

	long bytes() {
		return this.bytes;
	}

	@Nullable Object attachment() {
		return this.attachment;
	}

	CompletableFuture<Long> result() {
		return this.result;
	}

	/** Called after this node has applied the entry. */
	void applied(long index) {
		if (this.proposals.applied(this, index)) {
			this.result.complete(index);
		}
	}

	/** Called when the entry may not become committed. */
	@Override
	public void run(Status status) {
		if (!this.proposals.failed(this)) {
			return;
		}
		if (status.getRaftError() == RaftError.EBUSY) {
			// JRaft reports this only before it appends an entry.
			this.result.completeExceptionally(
					new ProposalRejectedException("The leader is busy: " + status.getErrorMsg(), false));
		}
		else {
			this.result.completeExceptionally(new OutcomeUnknownException(
					"The entry may or may not become part of the log: " + status.getErrorMsg()));
		}
	}

}
