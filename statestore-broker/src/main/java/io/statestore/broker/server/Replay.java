package io.statestore.broker.server;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.LogEntryCodec;
import io.statestore.broker.engine.StateMachine;

/**
 * Replays a log's batches. The thread that reads the batches decodes the entries, while
 * another thread applies them in order.
 */
final class Replay implements AutoCloseable {

	/**
	 * Maximum number of entries to pass to the other thread together. Passing a group may
	 * have to wake up the thread.
	 */
	private static final int GROUP = 512;

	/** Size of encoded entries at which a group is passed on, in bytes. */
	private static final int GROUP_BYTES = 1 << 20;

	private static final int MAX_WAITING_GROUPS = 4;

	private final StateMachine machine;

	private final SharedRequesters requesters = new SharedRequesters();

	private final ExecutorService executor = Executors.newSingleThreadExecutor(Replay::thread);

	private final Semaphore room = new Semaphore(MAX_WAITING_GROUPS);

	/**
	 * Completes when all groups so far have been applied, or exceptionally if one has
	 * failed.
	 */
	private CompletableFuture<Void> applied = CompletableFuture.completedFuture(null);

	private List<LogEntry> group = new ArrayList<>(GROUP);

	private int groupBytes;

	private long entries;

	Replay(StateMachine machine) {
		this.machine = machine;
	}

	private static Thread thread(Runnable task) {
		Thread thread = new Thread(task, "statestore-recovery");
		thread.setDaemon(true);
		return thread;
	}

	/** Adds a batch, whose content is valid only during the call. */
	void add(List<ByteBuffer> entries) {
		for (ByteBuffer bytes : entries) {
			this.groupBytes += bytes.remaining();
			this.group.add(LogEntryCodec.decode(bytes, this.requesters::share));
			if (this.group.size() == GROUP || this.groupBytes >= GROUP_BYTES) {
				handOver();
			}
		}
	}

	private void handOver() {
		List<LogEntry> entries = this.group;
		this.entries += entries.size();
		this.group = new ArrayList<>(GROUP);
		this.groupBytes = 0;
		this.room.acquireUninterruptibly();
		if (this.applied.isCompletedExceptionally()) {
			// Throws the failure, which also ends reading.
			join();
		}
		this.applied = this.applied.thenRunAsync(() -> apply(entries), this.executor)
			.whenComplete((nothing, failure) -> this.room.release());
	}

	private void apply(List<LogEntry> entries) {
		for (LogEntry entry : entries) {
			this.machine.apply(entry);
		}
	}

	/**
	 * Waits until all entries are applied.
	 * @return the number of entries
	 */
	long finish() {
		handOver();
		join();
		return this.entries;
	}

	private void join() {
		try {
			this.applied.join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof Error error) {
				throw error;
			}
			if (ex.getCause() instanceof RuntimeException exception) {
				throw exception;
			}
			throw ex;
		}
	}

	/**
	 * Stops the thread. Without a prior {@link #finish}, some entries might not be
	 * applied.
	 */
	@Override
	public void close() {
		this.executor.shutdownNow();
	}

}
