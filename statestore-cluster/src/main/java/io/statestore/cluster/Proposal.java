package io.statestore.cluster;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.error.RaftError;
import io.statestore.cluster.storage.Space;
import org.jspecify.annotations.Nullable;

/** An entry of this node that is on its way into the log. */
final class Proposal implements Closure {

	private final Space space;

	private final int bytes;

	private final Consumer<Proposal> endListener;

	private final @Nullable Object attachment;

	private final AtomicBoolean ended = new AtomicBoolean();

	private final CompletableFuture<Long> result = new CompletableFuture<>();

	/**
	 * Creates a proposal.
	 * @param attachment passed to the machine of this node, or {@code null}
	 */
	Proposal(Space space, int bytes, @Nullable Object attachment, Consumer<Proposal> endListener) {
		this.space = space;
		this.bytes = bytes;
		this.attachment = attachment;
		this.endListener = endListener;
	}

	@Nullable Object attachment() {
		return this.attachment;
	}

	CompletableFuture<Long> result() {
		return this.result;
	}

	/** Called after this node has applied the entry. */
	void applied(long index) {
		if (end()) {
			this.space.releaseStored(index, this.bytes);
			this.result.complete(index);
		}
	}

	/** Called when the entry may not become committed. */
	@Override
	public void run(Status status) {
		if (!end()) {
			return;
		}
		this.space.release(this.bytes);
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

	private boolean end() {
		if (!this.ended.compareAndSet(false, true)) {
			return false;
		}
		this.endListener.accept(this);
		return true;
	}

}
