package io.statestore.sample.room;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.statestore.client.StateStoreOperations;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.sample.Ports;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/** The control room and its broker, without presses. */
@Timeout(120)
@TestInstance(Lifecycle.PER_CLASS)
class RoomWithoutPressesTests {

	private ConfigurableApplicationContext room;

	private Line line;

	private StateStoreOperations store;

	@BeforeAll
	void open(@TempDir Path directory) {
		this.room = ControlRoomTests.run(Ports.free(), directory, "--sample.presses=");
		this.line = this.room.getBean(Line.class);
		this.store = this.room.getBean(StateStoreOperations.class);
	}

	@AfterAll
	void close() {
		this.room.close();
	}

	@Test
	void forgetsKeyWhoseDeletionWasNotDelivered() throws InterruptedException {
		this.store.set("doomed", 1);
		await(() -> keys().contains("doomed"));
		AtomicBoolean blocks = new AtomicBoolean();
		CountDownLatch blocked = new CountDownLatch(1);
		CountDownLatch released = new CountDownLatch(1);
		this.line.onChange(() -> {
			if (blocks.getAndSet(false)) {
				blocked.countDown();
				awaitUninterruptibly(released);
			}
		});
		blocks.set(true);
		this.store.set("doomed", 2);
		assertThat(blocked.await(60, TimeUnit.SECONDS)).isTrue();
		this.store.delete("doomed");
		this.room.getBean(LineObserver.class).scan();
		released.countDown();
		await(() -> !keys().contains("doomed"));
		this.store.set("doomed", 3);
		await(() -> keys().contains("doomed"));
	}

	@Test
	void doesNotDeleteKeyThatWasWrittenUnderLock() {
		FencedLock lock = this.room.getBean(StateStoreLockRegistry.class).obtain("lock");
		lock.lock();
		this.store.fencedBy(lock.tenure().token()).set("fenced", 1);
		lock.unlock();
		ResponseEntity<String> response = delete("fenced");
		assertThat(response.getStatusCode().value()).isEqualTo(409);
		assertThat(response.getBody()).contains("written under a lock");
		this.store.set("plain", 1);
		assertThat(delete("plain").getStatusCode().value()).isEqualTo(204);
		assertThat(this.store.exists("plain")).isFalse();
	}

	private ResponseEntity<String> delete(String key) {
		return RestClient.create("http://127.0.0.1:" + this.room.getEnvironment().getProperty("local.server.port"))
			.post()
			.uri("/keys/delete?key={key}", ReadableText.encode(key))
			.header("HX-Request", "true")
			.retrieve()
			.onStatus((status) -> true, (request, reply) -> {
			})
			.toEntity(String.class);
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private List<String> keys() {
		return this.line.keys().stream().map(StoredKey::key).toList();
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(condition);
	}

}
