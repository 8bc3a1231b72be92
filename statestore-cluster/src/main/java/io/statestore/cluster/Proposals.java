package io.statestore.cluster;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import com.alipay.sofa.jraft.Node;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.entity.Task;
import com.alipay.sofa.jraft.error.RaftError;
import io.statestore.cluster.storage.Space;
import org.jspecify.annotations.Nullable;

/**
 * Proposals of a node that are in flight. JRaft forgets some of them when it shuts down,
 * which this class completes. Thread-safe.
 */
final class Proposals {

	private final Space space;

	private final Set<Proposal> proposals = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	Proposals(Space space) {
		this.space = space;
	}

	/**
	 * Proposes an entry, unless there is no room for it.
	 * @param attachment passed to the machine of this node, or {@code null}
	 * @param term term in which the entry may be appended, {@code -1} for any
	 */
	CompletableFuture<Long> propose(Node node, ByteBuffer entry, @Nullable Object attachment, long term) {
		int bytes = entry.remaining();
		if (this.space.isFull()) {
			return CompletableFuture.failedFuture(new ProposalRejectedException(
					"The disk of the leader is full. Free space on it; the node continues by itself", true));
		}
		if (!this.space.reserve(bytes)) {
			return CompletableFuture
				.failedFuture(new ProposalRejectedException("Too many entries are in flight. Try again", false));
		}
		Proposal proposal = new Proposal(this.space, bytes, attachment, this.proposals::remove);
		this.proposals.add(proposal);
		try {
			node.apply(new Task(entry.slice(), proposal, term));
		}
		catch (IllegalStateException ex) {
			// The node is shutting down, and has called the proposal.
		}
		if (this.closed) {
			end(proposal);
		}
		return proposal.result();
	}

	/** Completes all proposals, whose outcome is unknown. */
	void close() {
		this.closed = true;
		this.proposals.forEach(Proposals::end);
	}

	private static void end(Proposal proposal) {
		proposal.run(new Status(RaftError.ESHUTDOWN, "The node was closed"));
	}

}
