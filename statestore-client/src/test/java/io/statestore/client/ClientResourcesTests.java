package io.statestore.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class ClientResourcesTests {

	private final ClientResources resources = new ClientResources();

	@AfterEach
	void close() {
		this.resources.close();
	}

	private static Thread threadOf(Executor executor) throws Exception {
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		executor.execute(() -> thread.complete(Thread.currentThread()));
		return thread.get(30, TimeUnit.SECONDS);
	}

	@Test
	void runsCallbacksOnSeparateDaemonThreads() throws Exception {
		assertThat(threadOf(this.resources.timer()).getName()).startsWith("statestore-timer-");
		assertThat(threadOf(this.resources.replies()).getName()).startsWith("statestore-reply-");
		assertThat(threadOf(this.resources.listeners()).getName()).startsWith("statestore-listener-");
		assertThat(threadOf(this.resources.callbacks()).getName()).startsWith("statestore-lock-callback-");
		assertThat(threadOf(this.resources.timer()).isDaemon()).isTrue();
		assertThat(threadOf(this.resources.replies()).isDaemon()).isTrue();
		assertThat(threadOf(this.resources.listeners()).isDaemon()).isTrue();
		assertThat(threadOf(this.resources.callbacks()).isDaemon()).isTrue();
	}

	@Test
	void blockedCallbacksDoNotDelayOtherKinds() throws Exception {
		CountDownLatch blocker = new CountDownLatch(1);
		Runnable block = () -> {
			try {
				blocker.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		};
		for (int i = 0; i < 2 * ClientResources.LISTENER_THREADS; i++) {
			this.resources.listeners().execute(block);
			this.resources.callbacks().execute(block);
		}
		assertThat(threadOf(this.resources.replies())).isNotNull();
		assertThat(threadOf(this.resources.timer())).isNotNull();
		blocker.countDown();
	}

	@Test
	void readsGivenClock() {
		assertThat(new ClientResources(() -> 42).time().nanoTime()).isEqualTo(42);
	}

	@Test
	void stopsIdleThreadsOnClose() throws Exception {
		Thread timer = threadOf(this.resources.timer());
		Thread callback = threadOf(this.resources.callbacks());
		this.resources.close();
		timer.join(5000);
		callback.join(5000);
		assertThat(timer.isAlive()).isFalse();
		assertThat(callback.isAlive()).isFalse();
	}

	@Test
	void wakesIdleTimerOncePerSecondAfterClose() {
		this.resources.close();
		assertThat(this.resources.timer()).isInstanceOfSatisfying(ThreadPoolExecutor.class,
				(timer) -> assertThat(timer.getKeepAliveTime(TimeUnit.MILLISECONDS)).isEqualTo(1000));
	}

	@Test
	void runsTasksAfterClose() throws Exception {
		CompletableFuture<Void> scheduled = new CompletableFuture<>();
		this.resources.timer().schedule(() -> scheduled.complete(null), 50, TimeUnit.MILLISECONDS);
		this.resources.close();
		scheduled.get(30, TimeUnit.SECONDS);
		assertThat(threadOf(this.resources.timer())).isNotNull();
		assertThat(threadOf(this.resources.replies())).isNotNull();
		assertThat(threadOf(this.resources.callbacks())).isNotNull();
	}

}
