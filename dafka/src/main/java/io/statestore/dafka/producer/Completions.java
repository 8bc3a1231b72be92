package io.statestore.dafka.producer;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import io.statestore.dafka.Position;
import org.jspecify.annotations.Nullable;

/**
 * Completes futures on a separate thread, which runs the continuations attached by users.
 * Releases the memory of acknowledged records only afterward, so that slow continuations
 * slow senders down. Thread-safe.
 */
final class Completions {

	/** Number of waiting records above which the continuations count as behind. */
	private static final int MAX_WAITING = 100_000;

	private final MemoryBudget budget;

	private final AtomicInteger waiting = new AtomicInteger();

	private volatile @Nullable Thread thread;

	private final ExecutorService executor = Executors.newSingleThreadExecutor((task) -> {
		Thread thread = new Thread(task, "dafka-producer-callbacks");
		thread.setDaemon(true);
		this.thread = thread;
		return thread;
	});

	Completions(MemoryBudget budget) {
		this.budget = budget;
	}

	/** Returns whether the current thread runs the continuations. */
	boolean isContinuation() {
		return Thread.currentThread() == this.thread;
	}

	/** Returns whether too many records are waiting for the continuations. */
	boolean isBehind() {
		return this.waiting.get() > MAX_WAITING;
	}

	/**
	 * Completes the records' futures.
	 * @param release whether to also release the records' memory
	 */
	void complete(List<Pending> done, boolean release) {
		execute(done, release, CompletableFuture::complete);
	}

	/** Fails the futures of unacknowledged records and releases the records' memory. */
	void fail(List<Pending> left) {
		execute(left, true,
				(future, position) -> future.completeExceptionally(new NotAcknowledgedException("No store acknowledged "
						+ position + " before the producer was closed. A store may have it nevertheless")));
	}

	/**
	 * Waits for running continuations, unless called by one.
	 * @param timeoutNanos maximum time to wait; shorter times count as one second
	 */
	void close(long timeoutNanos) throws InterruptedException {
		this.executor.shutdown();
		if (!isContinuation()) {
			this.executor.awaitTermination(Math.max(timeoutNanos, TimeUnit.SECONDS.toNanos(1)), TimeUnit.NANOSECONDS);
		}
	}

	private void execute(List<Pending> records, boolean release,
			BiConsumer<CompletableFuture<Position>, Position> completion) {
		if (records.isEmpty()) {
			return;
		}
		this.waiting.addAndGet(records.size());
		try {
			this.executor.execute(() -> run(records, release, completion));
		}
		catch (RejectedExecutionException ex) {
			// The producer was closed, and no caller waits for these futures.
			this.waiting.addAndGet(-records.size());
		}
	}

	private void run(List<Pending> records, boolean release,
			BiConsumer<CompletableFuture<Position>, Position> completion) {
		long bytes = 0;
		for (Pending pending : records) {
			CompletableFuture<Position> future = pending.future;
			if (future != null) {
				pending.future = null;
				completion.accept(future, new Position(pending.partition.names.topic(),
						pending.partition.names.partition(), pending.sequence));
			}
			bytes += pending.cost();
		}
		if (release) {
			this.budget.release(bytes);
		}
		this.waiting.addAndGet(-records.size());
	}

}
