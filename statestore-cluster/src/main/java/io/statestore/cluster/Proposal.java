package io.statestore.cluster;

import java.util.concurrent.CompletableFuture;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import io.statestore.cluster.storage.Space;

/** An entry of this node that is on its way into the log. */
final class Proposal implements Closure {

	private final Space space;

	private final int bytes;

	private final CompletableFuture<Long> result = new CompletableFuture<>();

	Proposal(Space space, int bytes) {
		this.space = space;
		this.bytes = bytes;
	}

	CompletableFuture<Long> result() {
		return this.result;
	}

	/** Called after this node has applied the entry. */
	void applied(long index) {
		this.space.release(this.bytes);
		this.result.complete(index);
	}

	/** Called by JRaft when the entry may not become committed. */
	@Override
	public void run(Status status) {
		this.space.release(this.bytes);
		this.result.completeExceptionally(new OutcomeUnknownException(
				"The entry may or may not become part of the log: " + status.getErrorMsg()));
	}

}
