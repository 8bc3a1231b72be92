package io.statestore.client.cache;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.statestore.client.Key;
import io.statestore.client.StateStoreNotSentException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Timeout(60)
class CacheLoadsTests {

	private static final Key KEY = Key.of("key");

	private final CacheLoads loads = new CacheLoads();

	@Test
	void interruptEndsWaitForLoadByOtherThread() throws Exception {
		CountDownLatch loading = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		CompletableFuture<Object> first = CompletableFuture.supplyAsync(() -> this.loads.inTurn(KEY, () -> {
			loading.countDown();
			return awaitEnd(end);
		}), (task) -> new Thread(task).start());
		loading.await();
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(StateStoreNotSentException.class)
			.isThrownBy(() -> this.loads.inTurn(KEY, () -> "second"))
			.withMessageContaining("'key'");
		assertThat(Thread.interrupted()).isTrue();
		end.countDown();
		assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo("first");
		assertThat(this.loads.inTurn(KEY, () -> "third")).isEqualTo("third");
	}

	private static Object awaitEnd(CountDownLatch end) {
		try {
			end.await();
			return "first";
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
