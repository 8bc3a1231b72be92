package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;

import static org.awaitility.Awaitility.await;

/** Time that passes only when a test lets it pass. It controls waits for futures. */
final class ManualTime implements TimeSource {

	private static final long START = 1_700_000_000_000L;

	/** Waits in progress, each with its length and its end. */
	private final Map<CompletableFuture<Void>, Wait> waits = new HashMap<>();

	private Duration now = Duration.ZERO;

	@Override
	public synchronized long nanoTime() {
		return this.now.toNanos();
	}

	@Override
	public synchronized long currentTimeMillis() {
		return START + this.now.toMillis();
	}

	@Override
	public <T extends @Nullable Object> T get(CompletableFuture<T> future, @Nullable Duration timeout)
			throws InterruptedException, ExecutionException, TimeoutException {
		if (timeout != null) {
			CompletableFuture<Void> passed = new CompletableFuture<>();
			begin(passed, timeout);
			try {
				CompletableFuture.anyOf(future, passed).get();
			}
			finally {
				end(passed);
			}
			if (!future.isDone()) {
				throw new TimeoutException();
			}
		}
		return future.get();
	}

	private synchronized void begin(CompletableFuture<Void> passed, Duration timeout) {
		this.waits.put(passed, new Wait(timeout, this.now.plus(timeout)));
		pass(Duration.ZERO);
	}

	private synchronized void end(CompletableFuture<Void> passed) {
		this.waits.remove(passed);
	}

	/** Lets time pass, and ends the waits that have become too long. */
	synchronized void pass(Duration duration) {
		this.now = this.now.plus(duration);
		this.waits.forEach((passed, wait) -> {
			if (wait.end().compareTo(this.now) <= 0) {
				passed.complete(null);
			}
		});
	}

	/** Lets the time of a wait pass, as soon as there is a wait of that length. */
	void passWaitOf(Duration length) {
		await("a wait of " + length).until(() -> passIfWaitedFor(length));
	}

	private synchronized boolean passIfWaitedFor(Duration length) {
		boolean waited = this.waits.entrySet()
			.stream()
			.anyMatch((wait) -> !wait.getKey().isDone() && wait.getValue().length().equals(length));
		if (waited) {
			pass(length);
		}
		return waited;
	}

	private record Wait(Duration length, Duration end) {
	}

}
