package io.statestore.testing.boot;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockLostException;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.testing.TestTime;
import io.statestore.testing.broker.StateStoreFaults;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;

import static io.statestore.testing.assertj.StateStoreAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@SpringBootTest(properties = "statestore.lock.lease=30s")
@EmbeddedStateStore(controlTime = true)
class ControlledTimeTests {

	@Autowired
	private StateStoreOperations store;

	@Autowired
	private StateStoreAsyncOperations async;

	@Autowired
	private StateStoreLockRegistry locks;

	@Autowired
	private StateStoreFaults faults;

	@Autowired
	private TestTime time;

	/** The repetition shows that the reset reconnects the client. */
	@RepeatedTest(2)
	@Timeout(60)
	void leaseOfSilentHolderExpiresImmediately() {
		// Other processes of a busy machine may slow down a single run.
		assertThat(IntStream.range(0, 10)
			.mapToObj((run) -> timeOfSilentHolder("press-" + run))
			.anyMatch((taken) -> taken.compareTo(Duration.ofSeconds(1)) < 0)).isTrue();
	}

	private Duration timeOfSilentHolder(String key) {
		long start = System.nanoTime();
		FencedLock lock = this.locks.obtain(key);
		lock.lock();
		this.time.advance(Duration.ofMinutes(1));
		assertThat(lock).isHeldHere();
		this.faults.requests().ofKey(key).drop();
		this.time.advance(Duration.ofSeconds(31));
		assertThat(lock.isValid()).isFalse();
		this.faults.clear();
		assertThat(lock).isFree();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		return Duration.ofNanos(System.nanoTime() - start);
	}

	@Test
	void keyExpiresWhenTimeAdvances() {
		this.store.set("session", "a", (spec) -> spec.expire(Duration.ofHours(1)));
		this.time.advance(Duration.ofMinutes(59));
		assertThat(this.store).hasKey("session");
		this.time.advance(Duration.ofMinutes(2));
		assertThat(this.store).doesNotHaveKey("session");
	}

	@Test
	void replyDelayPassesWithTime() {
		this.faults.replies().ofKey("press").next(1).delay(Duration.ofSeconds(3));
		CompletableFuture<?> result = this.async.set("press", "1");
		this.time.advance(Duration.ofSeconds(2));
		assertThat(result).isNotDone();
		this.time.advance(Duration.ofSeconds(2));
		assertThat(result).isCompleted();
	}

	@Test
	void requestDelayPassesWithTime() {
		this.faults.requests().ofKey("press").next(1).delay(Duration.ofSeconds(3));
		CompletableFuture<?> result = this.async.set("press", "1");
		this.time.advance(Duration.ofSeconds(2));
		assertThat(result).isNotDone();
		this.time.advance(Duration.ofSeconds(2));
		assertThat(result).isCompleted();
		assertThat(this.store).hasKey("press");
	}

	@RepeatedTest(2)
	void cutClientIsConnectedInNextTest() {
		this.store.set("press", "1");
		this.faults.cut();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
