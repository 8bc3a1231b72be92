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
	 * @param essential whether the entry may use the reserve of a full disk
	 */
	CompletableFuture<Long> propose(Node node, ByteBuffer entry, @Nullable Object attachment, long term,
			boolean essential) {
		int bytes = entry.remaining();
		if (essential ? !this.space.hasReserve() : this.space.isFull()) {
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
		catch (RuntimeException ex) {
			// The node has shut down, or is about to.
			end(proposal);
		}
		if (this.closed) {
			end(proposal);
		}
		return proposal.result();
	}

	/** Completes all proposals, whose outcome is unknown, after their node has ended. */
	void endAll() {
		this.proposals.forEach(Proposals::end);
	}

	/** Completes all proposals, also those to come. */
	void close() {
		this.closed = true;
		endAll();
	}

	private static void end(Proposal proposal) {
		proposal.run(new Status(RaftError.ESHUTDOWN, "The node has ended"));
	}

}
