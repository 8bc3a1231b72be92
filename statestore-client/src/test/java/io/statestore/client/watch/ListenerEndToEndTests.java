package io.statestore.client.watch;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.client.KeyChange;
import io.statestore.client.WatchSpec;
import io.statestore.client.StateStoreConversionException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class ListenerEndToEndTests extends WatchEndToEndFixture {

	@Test
	void slowListenerDelaysOnlyItsKeyAndGetsLatestValue() throws InterruptedException {
		CountDownLatch release = new CountDownLatch(1);
		List<KeyChange<String>> slow = new CopyOnWriteArrayList<>();
		try (TestClient client = new TestClient(this.broker.port(), WatchOptions.DEFAULT.withQueueCapacity(10))
			.start()) {
			client.template.watch("slow", String.class, (change) -> {
				release.await();
				slow.add(change);
			});
			client.template.watch("fast", String.class, this.delivered::add);
			for (int i = 0; i < 100; i++) {
				this.writer.template.set("slow", "v" + i);
				this.writer.template.set("fast", "v" + i);
				client.template.get("slow", String.class);
			}
			// Only the last value: on a busy machine this queue may overflow too.
			await("the other key").until(() -> !this.delivered.isEmpty() && "v99".equals(last().value()));
			assertThat(slow).isEmpty();
			release.countDown();
			await("the latest").until(() -> !slow.isEmpty() && "v99".equals(slow.get(slow.size() - 1).value()));
			assertThat(slow).hasSizeLessThanOrEqualTo(11);
			assertThat(slow.get(1).resynchronized()).isTrue();
			assertThat(slow.stream().map(KeyChange::version)).isSorted().doesNotHaveDuplicates();
		}
	}

	@Test
	void listenerCanCallStoreAndThrow() {
		List<String> failures = new CopyOnWriteArrayList<>();
		this.watcher.template.watch(
				"key", Integer.class, (
						spec) -> spec.id("mine")
							.onError((id, change, failure) -> failures
								.add(id + ' ' + change.value() + ' ' + failure.getClass().getSimpleName())),
				(change) -> {
					Integer stored = this.watcher.template.get("copy", Integer.class)
						.map((entry) -> entry.value())
						.orElse(0);
					this.watcher.template.set("copy", stored + Objects.requireNonNull(change.value()));
					if (change.value() == 2) {
						throw new IllegalStateException("expected");
					}
				});
		this.writer.template.set("key", 1);
		this.writer.template.set("key", 2);
		this.writer.template.set("key", "no number");
		this.writer.template.set("key", 4);
		await("the sum").until(() -> this.writer.template.get("copy", Integer.class)
			.filter((entry) -> entry.value() == 7)
			.isPresent());
		assertThat(failures).containsExactly("mine Bytes[1] IllegalStateException",
				"mine Bytes[9] " + StateStoreConversionException.class.getSimpleName());
	}

	@Test
	void listenerCanWatchOnOnlyThread() {
		ExecutorService onlyOne = Executors.newSingleThreadExecutor();
		try (TestClient client = new TestClient(this.broker.port(), WatchOptions.DEFAULT, onlyOne).start()) {
			List<Boolean> active = new CopyOnWriteArrayList<>();
			client.template.watch("key", String.class, (change) -> active
				.add(client.template.watch("other", String.class, this.delivered::add).isActive()));
			this.writer.template.set("key", "1");
			await("the second watch").until(() -> !active.isEmpty());
			assertThat(active).containsExactly(true);
			this.writer.template.set("other", "2");
			awaitDelivered(1);
		}
		finally {
			onlyOne.shutdownNow();
		}
	}

	private static boolean awaitQuietly(CountDownLatch latch) {
		try {
			return latch.await(30, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	@Test
	void blockingWritesNeedNoContinuationThreads() {
		this.watcher.template.watch("key", String.class, WatchSpec::noLocal, this.delivered::add);
		CountDownLatch release = new CountDownLatch(1);
		Thread test = Thread.currentThread();
		AtomicBoolean gaveUp = new AtomicBoolean();
		AtomicInteger ran = new AtomicInteger();
		AtomicInteger blocked = new AtomicInteger();
		for (int i = 1; blocked.get() < 16; i++) {
			this.watcher.template.async().set("other", i).thenAccept((result) -> {
				boolean blocks = Thread.currentThread() != test;
				blocked.addAndGet(blocks ? 1 : 0);
				ran.incrementAndGet();
				if (blocks && !awaitQuietly(release)) {
					gaveUp.set(true);
				}
			});
			int expected = i;
			await("its continuation").until(() -> ran.get() == expected);
		}
		assertThat(this.watcher.template.get("other", Integer.class)).isPresent();
		assertThat(this.watcher.template.set("key", "own").applied()).isTrue();
		assertThat(this.watcher.template.set("unwatched", "x").applied()).isTrue();
		assertThat(gaveUp).isFalse();
		release.countDown();
	}

}
