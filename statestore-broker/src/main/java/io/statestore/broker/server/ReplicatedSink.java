package io.statestore.broker.server;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

import io.statestore.broker.server.ReplicatedLog.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Proposes a leader's batches to the consensus. Entries that arrive while enough others
 * are in flight are collected in the next batch. A batch's entries are applied when the
 * consensus calls {@link Replica#apply} with the batch. Used only within the serial
 * executor.
 */
final class ReplicatedSink implements LogSink {

	/**
	 * Number of entries in flight at which others have to wait. Each batch costs
	 * processor time and an fsync on every node, so one large batch is faster than three
	 * small batches. The value is 2 so that two clients do not wait for each other.
	 */
	private static final int MAX_IN_FLIGHT = 2;

	/**
	 * Maximum number of batches in flight. Within this limit, a full batch does not wait,
	 * because waiting would not help.
	 */
	private static final int MAX_BATCHES = 3;

	/**
	 * Maximum size of a batch, because larger batches delay later batches. A single entry
	 * may be larger.
	 */
	private static final int MAX_BATCH_BYTES = 1 << 20;

	private final ReplicatedLog replicatedLog;

	private final SerialExecutor serial;

	private final RetryTimer timer;

	/** Proposes batches. Always the same object, so that a burst runs it only once. */
	private final Runnable proposing;

	@SuppressWarnings("NullAway.Init") // Set by start, which is called first.
	private CommandLog log;

	private @Nullable HeldReplies replies;

	/** Batches that are proposed but neither committed nor rejected, in order. */
	private final Deque<Batch> proposed = new ArrayDeque<>();

	/**
	 * Those {@link #proposed} batches whose outcome is unknown. These batches are
	 * rejected if a later batch is committed.
	 */
	private final Set<Batch> unknown = new HashSet<>();

	/** Whether a task to propose the next batch is scheduled. */
	private boolean retrying;

	/** Whether a task to determine the outcome of batches is scheduled. */
	private boolean resolving;

	private boolean ended;

	ReplicatedSink(ReplicatedLog replicatedLog, SerialExecutor serial, RetryTimer timer) {
		this.replicatedLog = replicatedLog;
		this.serial = serial;
		this.timer = timer;
		this.proposing = () -> serial.execute(this::proposeNext);
	}

	@Override
	public void start(CommandLog log) {
		this.log = log;
		this.replies = new HeldReplies(this.replicatedLog, log, this.serial, this.timer);
	}

	@Override
	public int maxEntryBytes() {
		return this.replicatedLog.maxEntryBytes() - ReplicatedEntry.HEADER_BYTES - Integer.BYTES;
	}

	@Override
	public int maxBatchBytes() {
		return Math.min(MAX_BATCH_BYTES, this.replicatedLog.maxEntryBytes()) - ReplicatedEntry.HEADER_BYTES;
	}

	@Override
	public boolean isWritable() {
		return this.replicatedLog.hasSpace();
	}

	@Override
	public boolean isReplicated() {
		return true;
	}

	@Override
	public void confirm(ClientConnection connection, Runnable action, int bytes) {
		Objects.requireNonNull(this.replies).add(connection, action, bytes);
	}

	@Override
	public void confirmed(ClientConnection connection) {
		Objects.requireNonNull(this.replies).confirmed(connection);
	}

	/** Proposes batches at the end of a burst, so that its entries share a batch. */
	@Override
	public void offered() {
		Burst.atEnd(this.proposing);
	}

	/** Proposes batches, unless enough are in flight. */
	private void proposeNext() {
		if (this.ended) {
			return;
		}
		for (Batch batch = this.log.peek(); batch != null && !this.retrying && hasRoom(); batch = this.log.peek()) {
			List<byte[]> entries = batch.encode(maxEntryBytes());
			if (entries.isEmpty()) {
				this.log.take();
				batch.decide(false);
			}
			else if (propose(batch, entries)) {
				this.log.take();
			}
			else {
				retryLater();
			}
		}
		this.log.finish();
	}

	private boolean hasRoom() {
		return inFlight() < MAX_IN_FLIGHT
				|| (this.proposed.size() - this.unknown.size() < MAX_BATCHES && this.log.isNextFull());
	}

	private int inFlight() {
		int entries = 0;
		for (Batch batch : this.proposed) {
			entries += this.unknown.contains(batch) ? 0 : batch.proposals().size();
		}
		return entries;
	}

	private boolean propose(Batch batch, List<byte[]> entries) {
		ByteBuffer entry = ReplicatedEntry.encode(entries);
		Consumer<Outcome> failed = (outcome) -> this.serial.execute(() -> failed(batch, outcome));
		boolean accepted = batch.isEssential() ? this.replicatedLog.proposeEssential(entry, batch, failed)
				: this.replicatedLog.propose(entry, batch, failed);
		if (accepted) {
			batch.written();
			this.proposed.add(batch);
		}
		return accepted;
	}

	private void retryLater() {
		this.retrying = true;
		this.timer.schedule(() -> {
			this.retrying = false;
			proposeNext();
		});
	}

	private void failed(Batch batch, Outcome outcome) {
		if (this.ended || !this.proposed.contains(batch) || this.unknown.contains(batch)) {
			return;
		}
		if (outcome == Outcome.REJECTED) {
			this.proposed.remove(batch);
			batch.decide(false);
		}
		else {
			this.unknown.add(batch);
			resolveLater();
		}
		proposeNext();
	}

	private void resolveLater() {
		if (!this.resolving) {
			this.resolving = true;
			this.timer.schedule(this::resolve);
		}
	}

	/**
	 * Proposes an empty batch if the outcome of earlier batches depends on a later batch
	 * and none is in flight. If the leadership has ended, proposing has no effect, and
	 * {@link #end} follows.
	 */
	private void resolve() {
		this.resolving = false;
		if (this.unknown.isEmpty()) {
			return;
		}
		Batch empty = new Batch();
		if (this.unknown.size() == this.proposed.size() && this.log.peek() == null && propose(empty, List.of())) {
			this.log.addEmpty(empty);
		}
		resolveLater();
	}

	/**
	 * Applies a committed batch and rejects undecided batches proposed earlier. Has no
	 * effect if the batch is not from this leadership or is already applied.
	 * @return whether the batch was applied
	 */
	boolean committed(Batch committed) {
		if (!this.proposed.contains(committed)) {
			return false;
		}
		// Entries are committed in the order in which they were proposed.
		for (Batch first = this.proposed.remove(); first != committed; first = this.proposed.remove()) {
			this.unknown.remove(first);
			first.decide(false);
		}
		this.unknown.remove(committed);
		committed.decide(true);
		// There is now room for a batch that was refused because too many were in flight.
		this.retrying = false;
		proposeNext();
		return true;
	}

	@Override
	public void end() {
		this.ended = true;
		this.proposed.clear();
		this.unknown.clear();
		// Null if starting the leadership failed.
		if (this.replies != null) {
			this.replies.end();
		}
	}

	@Override
	public void close() {
		// The consensus implementation owns the files.
	}

}
