package io.statestore.cluster;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import com.alipay.sofa.jraft.Node;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.entity.Task;
import com.alipay.sofa.jraft.error.RaftError;
import io.statestore.broker.log.SpareSpace;
import org.jspecify.annotations.Nullable;

/**
 * A node's proposals in flight. Also completes proposals that JRaft drops when it shuts
 * down. Thread-safe.
 */
final class Proposals {

	/** Maximum size of an entry's overhead in the log, in bytes. */
	private static final int ENTRY_BYTES = 64;

	/**
	 * Divisor of the spare space: proposals may reserve a quarter of it. The disk counts
	 * as full when half of the spare space is left, and JRaft itself needs half of that.
	 */
	private static final int RESERVED_PART = 4;

	private final SpareSpace spare;

	private final LongSupplier storedIndex;

	private final Set<Proposal> proposals = ConcurrentHashMap.newKeySet();

	/** Entries that are applied but not yet in this node's log, in index order. */
	private final Queue<Applied> applied = new ArrayDeque<>();

	/** Space reserved for proposals and applied entries, in bytes. */
	private long reserved;

	private volatile boolean closed;

	/**
	 * Creates an object without proposals.
	 * @param spare the log's spare space
	 * @param storedIndex returns the index of the last entry in the node's log
	 */
	Proposals(SpareSpace spare, LongSupplier storedIndex) {
		this.spare = spare;
		this.storedIndex = storedIndex;
	}

	/**
	 * Returns the spare space needed to accept an entry, in bytes.
	 * @param entryBytes size of the entry, in bytes
	 */
	static long minSpareBytes(int entryBytes) {
		return cost(entryBytes) * RESERVED_PART;
	}

	private static long cost(int entryBytes) {
		return (long) entryBytes + ENTRY_BYTES;
	}

	/**
	 * Proposes an entry, unless there is no room for it.
	 * @param attachment object to pass to this node's machine, {@code null} for none
	 * @param term term in which the entry may be appended, {@code -1} for any
	 * @param essential whether the entry may use the reserve of a full disk
	 */
	CompletableFuture<Long> propose(Node node, ByteBuffer entry, @Nullable Object attachment, long term,
			boolean essential) {
		if (!this.spare.accepts(essential)) {
			return CompletableFuture.failedFuture(new ProposalRejectedException(
					"The leader's disk is full. Free space on it; the node then continues on its own", true));
		}
		Proposal proposal = new Proposal(this, cost(entry.remaining()), attachment);
		if (!reserve(proposal.bytes())) {
			return CompletableFuture
				.failedFuture(new ProposalRejectedException("Too many entries are in flight. Try again", false));
		}
		this.proposals.add(proposal);
		try {
			node.apply(new Task(entry.slice(), proposal, term));
		}
		catch (RuntimeException ex) {
			// The node has shut down, or is shutting down.
			end(proposal);
		}
		if (this.closed) {
			end(proposal);
		}
		return proposal.result();
	}

	private synchronized boolean reserve(long bytes) {
		releaseStored(this.storedIndex.getAsLong());
		if (this.reserved + bytes > this.spare.bytes() / RESERVED_PART) {
			return false;
		}
		this.reserved += bytes;
		return true;
	}

	private void releaseStored(long index) {
		for (Applied first = this.applied.peek(); first != null
				&& first.index() <= index; first = this.applied.peek()) {
			this.applied.remove();
			this.reserved -= first.bytes();
		}
	}

	/**
	 * Called after this node has applied a proposal. A majority may have committed it
	 * before it is on this node's disk. Its space stays reserved until it is in the log,
	 * because JRaft keeps it in memory until then.
	 * @param index the entry's index, greater than in the previous call
	 * @return {@code false} if the proposal had already ended
	 */
	synchronized boolean applied(Proposal proposal, long index) {
		return this.proposals.remove(proposal)
				&& this.applied.add(new Applied(index, proposal.bytes(), System.nanoTime()));
	}

	/**
	 * Called when a proposal might not be committed.
	 * @return {@code false} if the proposal had already ended
	 */
	synchronized boolean failed(Proposal proposal) {
		if (!this.proposals.remove(proposal)) {
			return false;
		}
		this.reserved -= proposal.bytes();
		return true;
	}

	/**
	 * Returns whether this node's disk is slower than the disks of a majority.
	 * @param nanos how long an applied entry may wait for the disk, in nanoseconds
	 */
	synchronized boolean isBehind(long nanos) {
		releaseStored(this.storedIndex.getAsLong());
		Applied first = this.applied.peek();
		return first != null && System.nanoTime() - first.since() > nanos;
	}

	/**
	 * Completes all proposals, with an unknown outcome, after their JRaft node has ended
	 * and no longer keeps entries in memory.
	 */
	void endAll() {
		this.proposals.forEach(Proposals::end);
		synchronized (this) {
			releaseStored(Long.MAX_VALUE);
		}
	}

	/** Completes all current and later proposals. */
	void close() {
		this.closed = true;
		endAll();
	}

	private static void end(Proposal proposal) {
		proposal.run(new Status(RaftError.ESHUTDOWN, "The node has ended"));
	}

	/**
	 * An applied entry that is not in this node's log yet.
	 *
	 * @param since time at which it was applied
	 */
	private record Applied(long index, long bytes, long since) {
	}

}
