package io.statestore.dafka.producer;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.dafka.Position;
import org.jspecify.annotations.Nullable;

/**
 * Completes futures on a thread of its own, since what users attached to them runs there.
 * The memory of acknowledged records is given back only afterwards, so that a slow
 * continuation slows senders down.
 */
final class Completions {

	private static final int MANY = 100_000;

	private final MemoryBudget budget;

	private final AtomicInteger waiting = new AtomicInteger();

	private volatile @Nullable Thread own;

	private final ExecutorService thread = Executors.newSingleThreadExecutor((task) -> {
		Thread thread = new Thread(task, "dafka-producer-callbacks");
		thread.setDaemon(true);
		this.own = thread;
		return thread;
	});

	Completions(MemoryBudget budget) {
		this.budget = budget;
	}

	/** Whether what is attached to futures asks. */
	boolean isOwnThread() {
		return Thread.currentThread() == this.own;
	}

	boolean isBehind() {
		return this.waiting.get() > MANY;
	}

	void complete(List<Pending> done, boolean release) {
		run(done, () -> {
			long bytes = 0;
			for (Pending pending : done) {
				CompletableFuture<Position> future = pending.future;
				if (future != null) {
					pending.future = null;
					future.complete(position(pending));
				}
				bytes += pending.cost();
			}
			if (release) {
				this.budget.give(bytes);
			}
		});
	}

	void fail(List<Pending> left) {
		run(left, () -> {
			for (Pending pending : left) {
				if (pending.future != null) {
					pending.future.completeExceptionally(new NotAcknowledgedException("No store acknowledged "
							+ position(pending) + " before the producer was closed; it may be stored nevertheless"));
				}
				this.budget.give(pending.cost());
			}
		});
	}

	/** Waits for continuations that run, unless one of them asks. */
	void close(long timeoutNanos) throws InterruptedException {
		this.thread.shutdown();
		if (!isOwnThread()) {
			this.thread.awaitTermination(Math.max(timeoutNanos, TimeUnit.SECONDS.toNanos(1)), TimeUnit.NANOSECONDS);
		}
	}

	private void run(List<Pending> records, Runnable task) {
		if (records.isEmpty()) {
			return;
		}
		this.waiting.addAndGet(records.size());
		try {
			this.thread.execute(() -> {
				try {
					task.run();
				}
				finally {
					this.waiting.addAndGet(-records.size());
				}
			});
		}
		catch (RejectedExecutionException ex) {
			// Closed in the meantime; no caller is waiting.
			this.waiting.addAndGet(-records.size());
		}
	}

	private static Position position(Pending pending) {
		return new Position(pending.lane.names.topic(), pending.lane.names.partition(), pending.sequence);
	}

}
