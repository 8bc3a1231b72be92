package io.statestore.client.mqtt;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(20)
class MailboxTests {

	private final ExecutorService executor = Executors.newCachedThreadPool();

	@AfterEach
	void close() {
		this.executor.shutdownNow();
	}

	@Test
	void runsTasksInOrderOneAtATime() throws Exception {
		Mailbox mailbox = new Mailbox("Test", this.executor, 10_000);
		List<Integer> order = new ArrayList<>();
		for (int i = 0; i < 5000; i++) {
			int number = i;
			assertThat(mailbox.offer(() -> order.add(number))).isTrue();
		}
		awaitEmpty(mailbox);
		assertThat(order).isEqualTo(IntStream.range(0, 5000).boxed().toList());
	}

	@Test
	void goesOnAfterATaskThatThrows() throws Exception {
		Mailbox mailbox = new Mailbox("Test", this.executor, 10);
		mailbox.offer(() -> {
			throw new AssertionError("task");
		});
		awaitEmpty(mailbox);
	}

	@Test
	void refusesWhenFullAndWarnsOnce() throws Exception {
		Mailbox mailbox = new Mailbox("The listener of 'a'", this.executor, 2);
		CountDownLatch release = new CountDownLatch(1);
		CountDownLatch started = new CountDownLatch(1);
		mailbox.offer(() -> {
			started.countDown();
			try {
				release.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		started.await();
		try (CapturedLog log = new CapturedLog()) {
			assertThat(mailbox.offer(() -> {
			})).isTrue();
			assertThat(mailbox.offer(() -> {
			})).isTrue();
			assertThat(mailbox.offer(() -> {
			})).isFalse();
			assertThat(mailbox.offer(() -> {
			})).isFalse();
			assertThat(log.messages()).hasSize(1).first().asString().contains("The listener of 'a' is too slow");
		}
		release.countDown();
		Await.until("room", () -> mailbox.offer(() -> {
		}));
		awaitEmpty(mailbox);
	}

	private void awaitEmpty(Mailbox mailbox) throws InterruptedException {
		CountDownLatch last = new CountDownLatch(1);
		Await.until("room", () -> mailbox.offer(last::countDown));
		assertThat(last.await(10, TimeUnit.SECONDS)).isTrue();
	}

}
