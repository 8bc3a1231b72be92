package io.statestore.broker.server;

import java.io.IOError;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.LogEntryCodec;
import io.statestore.broker.log.DiskFullException;
import io.statestore.broker.log.EntryBatch;
import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.LogFailedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that writes batches to the disk. Entries that arrive during a write are written
 * together afterwards (group commit; DeWitt et al., "Implementation Techniques for Main
 * Memory Database Systems", SIGMOD 1984).
 */
final class BatchWriter {

	private static final Logger logger = LoggerFactory.getLogger(BatchWriter.class);

	/** A larger buffer is not kept. */
	private static final int MAX_KEPT_BYTES = 16 << 20;

	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/** Time without a further warning: a small batch may still fit on a full disk. */
	private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final FileLog log;

	private final Consumer<Batch> finished;

	private final Consumer<Error> onError;

	private final Thread thread;

	/** Batches that are not yet taken. Guards itself and the fields below. */
	private final Queue<Batch> waiting = new ArrayDeque<>();

	/** Batch to which entries can be added, {@code null} if the next entry needs one. */
	private @Nullable Batch open;

	private boolean parked;

	private boolean ended;

	private volatile boolean hasWork;

	private volatile boolean diskFull;

	/** Whether the latest message is the warning of a full disk. */
	private boolean warned;

	private long lastWarning = System.nanoTime() - QUIET_NANOS;

	private volatile long lastAttempt;

	private EntryBatch bytes = new EntryBatch();

	/** Whether to force the batch to the disk, whatever the policy. */
	private boolean forced;

	/**
	 * Creates a writer, which is to be started.
	 * @param finished receives each batch after its write, in order, on the writer thread
	 * @param onError receives an error, after which nothing is written
	 */
	BatchWriter(FileLog log, Consumer<Batch> finished, Consumer<Error> onError) {
		this.log = log;
		this.finished = finished;
		this.onError = onError;
		this.thread = new Thread(this::run, "statestore-log");
		this.thread.setDaemon(true);
	}

	void start() {
		this.thread.start();
	}

	/**
	 * Adds an entry to the batch that is written next. One thread at a time calls this.
	 * @return the batch if it is a new one, otherwise {@code null}
	 */
	@Nullable Batch add(Proposal proposal, long position) {
		boolean unpark;
		Batch created = null;
		if (this.diskFull) {
			this.lastAttempt = System.nanoTime();
		}
		synchronized (this.waiting) {
			Batch batch = this.open;
			if (batch == null || batch.isFull()) {
				batch = new Batch();
				created = batch;
				this.open = batch;
				this.waiting.add(batch);
				this.hasWork = true;
			}
			batch.add(proposal, position);
			unpark = this.parked;
			this.parked = false;
		}
		if (unpark) {
			LockSupport.unpark(this.thread);
		}
		return created;
	}

	/** Returns whether a batch waits for its write. */
	boolean hasWork() {
		return this.hasWork;
	}

	/**
	 * Returns whether entries are likely to be written. While the disk is full, one is to
	 * be attempted per {@link #RETRY_NANOS}.
	 */
	boolean isWritable() {
		return !this.diskFull || System.nanoTime() - this.lastAttempt >= RETRY_NANOS;
	}

	/** Returns whether the latest write found space on the disk. */
	boolean hasSpace() {
		return !this.diskFull;
	}

	/** Lets the thread end after the waiting batches. */
	void end() {
		synchronized (this.waiting) {
			this.ended = true;
		}
		LockSupport.unpark(this.thread);
	}

	/** Waits for the end of the thread, after {@link #end()}. */
	void join() throws InterruptedException {
		this.thread.join();
	}

	private void run() {
		try {
			for (Batch batch = take(); batch != null; batch = take()) {
				write(batch);
				this.finished.accept(batch);
			}
		}
		catch (Error ex) {
			this.onError.accept(ex);
		}
		catch (RuntimeException ex) {
			// The state of the log is unknown.
			this.onError.accept(new IOError(ex));
		}
	}

	private @Nullable Batch take() {
		while (true) {
			synchronized (this.waiting) {
				Batch batch = this.waiting.poll();
				this.hasWork = !this.waiting.isEmpty();
				if (batch == this.open) {
					this.open = null;
				}
				if (batch != null || this.ended) {
					return batch;
				}
				this.parked = true;
			}
			LockSupport.park(this);
		}
	}

	private void write(Batch batch) {
		encode(batch);
		try {
			this.log.append(this.bytes);
			if (this.forced) {
				this.log.force();
			}
			batch.committed(this.log.lastIndex());
			if (this.bytes.count() > 0) {
				hasSpaceAgain();
			}
		}
		catch (DiskFullException ex) {
			diskFull(ex);
		}
		catch (LogFailedException ex) {
			if (this.log.isFailed()) {
				throw ex;
			}
			logger
				.error("A write to the log of the store failed. Its {} requests are refused with \"the quota has been "
						+ "exceeded\"; later ones use another file. Check the disk", batch.proposals().size(), ex);
		}
		if (this.bytes.bytes() > MAX_KEPT_BYTES) {
			this.bytes = new EntryBatch();
		}
		else {
			this.bytes.clear();
		}
	}

	private void hasSpaceAgain() {
		this.diskFull = false;
		if (this.warned) {
			this.warned = false;
			logger.info("The disk has space again. The store accepts writes");
		}
	}

	private void diskFull(DiskFullException ex) {
		long now = System.nanoTime();
		this.lastAttempt = now;
		this.diskFull = true;
		if (!this.warned && now - this.lastWarning >= QUIET_NANOS) {
			this.warned = true;
			this.lastWarning = now;
			logger.warn("{}. Writes are refused with \"the quota has been exceeded\", reads continue", ex.getMessage());
		}
	}

	private void encode(Batch batch) {
		this.forced = false;
		for (Proposal proposal : batch.proposals()) {
			try {
				if (proposal.isExpired()) {
					batch.omit(proposal, proposal::expired);
				}
				else {
					this.bytes.add(LogEntryCodec.encode(proposal.entry()));
					this.forced |= proposal.entry() instanceof LogEntry.Session session && session.change().isForced();
				}
			}
			catch (RuntimeException ex) {
				logger.error("A command cannot be written to the log; continuing with the next one", ex);
				batch.omit(proposal, proposal::failed);
			}
		}
	}

}
