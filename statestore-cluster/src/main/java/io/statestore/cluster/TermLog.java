package io.statestore.cluster;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.statestore.broker.server.ReplicatedLog;
import org.jspecify.annotations.Nullable;

/** A leader's log, for one term. */
final class TermLog implements ReplicatedLog {

	private final Supplier<@Nullable RaftNode> node;

	private final long term;

	private final int maxEntryBytes;

	/**
	 * Creates a log.
	 * @param node returns the node, {@code null} while it is starting
	 * @param term the term
	 * @param maxEntryBytes maximum size of an entry, in bytes
	 */
	TermLog(Supplier<@Nullable RaftNode> node, long term, int maxEntryBytes) {
		this.node = node;
		this.term = term;
		this.maxEntryBytes = maxEntryBytes;
	}

	@Override
	public boolean propose(ByteBuffer entry, Object batch, Consumer<Outcome> failed) {
		return propose(entry, batch, failed, false);
	}

	@Override
	public boolean proposeEssential(ByteBuffer entry, Object batch, Consumer<Outcome> failed) {
		return propose(entry, batch, failed, true);
	}

	private boolean propose(ByteBuffer entry, Object batch, Consumer<Outcome> failed, boolean essential) {
		RaftNode node = this.node.get();
		if (node == null) {
			return false;
		}
		CompletableFuture<Long> result = node.propose(entry, batch, this.term, essential);
		if (result.isCompletedExceptionally() && isRetryable(failure(result))) {
			return false;
		}
		result.whenComplete((index, failure) -> {
			if (failure != null) {
				// A leader that is transferring leadership also rejects entries. Report
				// an unknown outcome, because only then can its clients repeat their
				// requests.
				failed.accept((failure instanceof ProposalRejectedException rejection && rejection.isDiskFull())
						? Outcome.REJECTED : Outcome.UNKNOWN);
			}
		});
		return true;
	}

	private static @Nullable Throwable failure(CompletableFuture<Long> result) {
		return result.handle((index, failure) -> failure).join();
	}

	/** Returns whether an entry that was not proposed can be proposed later. */
	private static boolean isRetryable(@Nullable Throwable failure) {
		return failure instanceof NotLeaderException
				|| (failure instanceof ProposalRejectedException rejection && !rejection.isDiskFull());
	}

	@Override
	public void confirm(Consumer<Boolean> result) {
		RaftNode node = this.node.get();
		if (node == null) {
			result.accept(false);
			return;
		}
		// A follower asks the leader, so the answer counts only if this node still leads
		// in this term.
		node.readIndex().whenComplete((index, failure) -> result.accept(failure == null && node.isLeading(this.term)));
	}

	@Override
	public boolean hasSpace() {
		RaftNode node = this.node.get();
		return node == null || node.hasSpace();
	}

	@Override
	public int maxEntryBytes() {
		return this.maxEntryBytes;
	}

}
