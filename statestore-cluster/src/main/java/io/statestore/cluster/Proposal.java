package io.statestore.cluster;

import java.util.concurrent.CompletableFuture;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.error.RaftError;
import org.jspecify.annotations.Nullable;

/**
 * An entry that this node has proposed. JRaft calls {@link #run} if the entry might not
 * be committed.
 */
final class Proposal implements Closure {

	private final Proposals proposals;

	private final long bytes;

	private final @Nullable Object attachment;

	private final CompletableFuture<Long> result = new CompletableFuture<>();

	/**
	 * Creates a proposal.
	 * @param bytes disk space that the entry needs, in bytes
	 * @param attachment object to pass to this node's machine, {@code null} for none
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

	void applied(long index) {
		if (this.proposals.applied(this, index)) {
			this.result.complete(index);
		}
	}

	/** Called when the entry might not be committed. */
	@Override
	public void run(Status status) {
		if (!this.proposals.failed(this)) {
			return;
		}
		if (status.getRaftError() == RaftError.EBUSY) {
			// JRaft reports this only for entries that it has not appended.
			this.result.completeExceptionally(
					new ProposalRejectedException("The leader is busy: " + status.getErrorMsg(), false));
		}
		else {
			this.result.completeExceptionally(new OutcomeUnknownException(
					"The entry may or may not become part of the log: " + status.getErrorMsg()));
		}
	}

}
