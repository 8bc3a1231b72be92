package io.statestore.broker.server;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Consumer;

import io.statestore.broker.server.ReplicatedBatch.State;
import io.statestore.broker.server.ReplicatedLog.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The command log of a leader. Entries that arrive while enough batches are in flight are
 * collected in the next one. The entries of a batch are applied when consensus calls
 * {@link Replica#apply} with it. Used only within the serial executor.
 */
final class ReplicatedCommandLog implements CommandLog {

	/** A further batch is proposed before the first one is committed. */
	private static final int MAX_IN_FLIGHT = 3;

	/** Larger batches delay those behind them, but a single entry may be larger. */
	private static final int MAX_BATCH_BYTES = 1 << 20;

	private final ReplicatedLog log;

	private final SerialExecutor serial;

	private final RetryTimer timer;

	private final Runnable afterwards;

	private final UnfinishedBatches unfinished;

	private final HeldReplies replies;

	private final int maxEntryBytes;

	/**
	 * Batches that are neither applied nor rejected, in order. Those at the end are open.
	 */
	private final Deque<ReplicatedBatch> batches = new ArrayDeque<>();

	/** Number of batches that are proposed, without an outcome. */
	private int inFlight;

	/** Whether a task is scheduled that proposes the next batch. */
	private boolean retrying;

	/** Whether a task is scheduled that finds the outcome of batches. */
	private boolean resolving;

	private boolean finishing;

	private boolean ended;

	/**
	 * Creates a log.
	 * @param log the log of the consensus
	 * @param applier applies the entries of this node
	 * @param maxHeld estimated memory from which on this log is full, in bytes
	 * @param afterwards called after the entries of a batch
	 */
	ReplicatedCommandLog(ReplicatedLog log, EntryApplier applier, SerialExecutor serial, RetryTimer timer, long maxHeld,
			Runnable afterwards) {
		this.log = log;
		this.serial = serial;
		this.timer = timer;
		this.afterwards = afterwards;
		this.maxEntryBytes = log.maxEntryBytes();
		this.unfinished = new UnfinishedBatches(applier, maxHeld);
		this.replies = new HeldReplies(log, this.unfinished, serial, timer);
	}

	@Override
	public void start() {
		// Batches are proposed from the first entry on
	}

	@Override
	public long append(Proposal proposal) {
		if (this.ended) {
			return done();
		}
		EncodedProposal entry = EncodedProposal.of(proposal, this.maxEntryBytes);
		long position = this.unfinished.append(ReplicatedBatch.heldBytes(entry));
		ReplicatedBatch batch = this.batches.peekLast();
		if (batch == null || !batch.accepts(entry)) {
			batch = new ReplicatedBatch(Math.min(MAX_BATCH_BYTES, this.maxEntryBytes));
			add(batch);
		}
		batch.add(entry, position);
		propose();
		return position;
	}

	private void add(ReplicatedBatch batch) {
		this.batches.add(batch);
		this.unfinished.add(batch.batch());
	}

	/** Proposes batches, unless enough are in flight. */
	private void propose() {
		while (!this.retrying && this.inFlight < MAX_IN_FLIGHT) {
			ReplicatedBatch batch = firstOpen();
			if (batch == null) {
				break;
			}
			ByteBuffer entry = batch.encode();
			if (batch.isEmpty()) {
				batch.committed();
			}
			else if (!propose(batch, entry)) {
				retryLater();
			}
		}
		finishDecided();
	}

	private @Nullable ReplicatedBatch firstOpen() {
		for (ReplicatedBatch batch : this.batches) {
			if (batch.state() == State.OPEN) {
				return batch;
			}
		}
		return null;
	}

	private boolean propose(ReplicatedBatch batch, ByteBuffer entry) {
		Consumer<Outcome> failed = (outcome) -> this.serial.execute(() -> failed(batch, outcome));
		if (!(batch.isEssential() ? this.log.proposeEssential(entry, batch, failed)
				: this.log.propose(entry, batch, failed))) {
			return false;
		}
		batch.proposed();
		this.inFlight++;
		return true;
	}

	private void retryLater() {
		this.retrying = true;
		this.timer.schedule(() -> {
			this.retrying = false;
			if (!this.ended) {
				propose();
			}
		});
	}

	private void failed(ReplicatedBatch batch, Outcome outcome) {
		if (this.ended || batch.state() != State.PROPOSED) {
			return;
		}
		this.inFlight--;
		if (outcome == Outcome.REJECTED) {
			batch.rejected();
		}
		else {
			batch.unknown();
			resolveLater();
		}
		propose();
	}

	private void resolveLater() {
		if (!this.resolving) {
			this.resolving = true;
			this.timer.schedule(this::resolve);
		}
	}

	/**
	 * Proposes an empty batch if the outcome of others depends on a later one. Without
	 * effect if the leadership has ended, of which this log learns soon.
	 */
	private void resolve() {
		this.resolving = false;
		if (this.batches.stream().noneMatch((batch) -> batch.state() == State.UNKNOWN)) {
			return;
		}
		ReplicatedBatch empty = new ReplicatedBatch(0);
		if (this.inFlight == 0 && firstOpen() == null && propose(empty, empty.encode())) {
			add(empty);
		}
		resolveLater();
	}

	/**
	 * Returns whether a batch is one of this log that is not applied.
	 * @param batch a batch that was proposed
	 */
	boolean contains(ReplicatedBatch batch) {
		return !this.ended && this.batches.contains(batch);
	}

	/** Applies a batch of this log, which is committed. */
	void committed(ReplicatedBatch committed) {
		for (ReplicatedBatch batch : this.batches) {
			if (batch.state() == State.PROPOSED) {
				this.inFlight--;
			}
			if (batch == committed) {
				break;
			}
			if (batch.state() != State.DECIDED) {
				// Entries are committed in the order of their proposals.
				batch.rejected();
			}
		}
		committed.committed();
		// There is room for a batch that was refused because too many were in flight.
		this.retrying = false;
		propose();
		this.afterwards.run();
	}

	/** Applies or rejects batches from the first one on. Actions may append entries. */
	private void finishDecided() {
		if (this.finishing) {
			return;
		}
		this.finishing = true;
		try {
			for (ReplicatedBatch first = this.batches.peek(); first != null
					&& first.state() == State.DECIDED; first = this.batches.peek()) {
				this.batches.remove();
				this.unfinished.finishFirst();
			}
		}
		finally {
			this.finishing = false;
		}
	}

	@Override
	public long done() {
		return this.unfinished.done();
	}

	@Override
	public boolean isBusy() {
		return this.unfinished.isBusy();
	}

	@Override
	public void after(long position, Runnable action, int bytes) {
		this.unfinished.after(position, action, bytes);
	}

	@Override
	public void confirm(ClientConnection connection, Runnable action, int bytes) {
		this.replies.add(connection, action, bytes);
	}

	@Override
	public void confirmed(ClientConnection connection) {
		this.replies.confirmed(connection);
	}

	@Override
	public boolean isReplicated() {
		return true;
	}

	@Override
	public boolean isFull() {
		return this.unfinished.isFull();
	}

	@Override
	public boolean isExhausted() {
		return this.unfinished.isExhausted();
	}

	@Override
	public boolean isWritable() {
		return this.log.hasSpace();
	}

	@Override
	public boolean isDurable() {
		return true;
	}

	/**
	 * Ends the log with the leadership. Nothing that waits is called, because the outcome
	 * is unknown.
	 */
	@Override
	public void end() {
		this.ended = true;
		this.batches.clear();
		this.unfinished.abandon();
		this.replies.end();
	}

	@Override
	public Optional<DurabilityStatistics> durability() {
		return Optional.empty();
	}

	@Override
	public void close() {
		// The consensus owns the files
	}

}
