package io.statestore.client.mqtt.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class LinkThreadsTests {

	private final LinkThreads threads = new LinkThreads(Thread::new, (failure) -> {
	});

	@AfterEach
	void end() {
		this.threads.shutdownNow();
	}

	@Test
	void startOfLoopEndsSleepOfItsStarter() {
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		this.threads.execute(() -> {
			this.threads.submit(() -> {
			});
			interrupted.complete(isInterruptedWithin(TimeUnit.HOURS.toMillis(1)));
		});
		assertThat(interrupted.join()).isTrue();
	}

	@Test
	void otherTasksSleepUndisturbed() throws Exception {
		for (int i = 0; i < 20; i++) {
			this.threads.execute(() -> this.threads.submit(() -> {
			}));
		}
		for (int i = 0; i < 20; i++) {
			CompletableFuture<Boolean> sleep = new CompletableFuture<>();
			this.threads.schedule(() -> sleep.complete(isInterruptedWithin(5)), 1, TimeUnit.MILLISECONDS);
			assertThat(sleep.get()).isFalse();
		}
	}

	private static boolean isInterruptedWithin(long millis) {
		try {
			Thread.sleep(millis);
			return false;
		}
		catch (InterruptedException ex) {
			return true;
		}
	}

}
