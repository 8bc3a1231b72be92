package io.statestore.broker.artemis.session;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class SubscriptionQueuesTests {

	private final SubscriptionQueues queues = new SubscriptionQueues((clientId, filter) -> clientId + filter);

	@Test
	void containsQueueUntilLastSubscriptionEnds() {
		assertThat(this.queues.add("a", "b")).isEqualTo("ab");
		this.queues.add("", "ab");
		this.queues.remove("ab");
		assertThat(this.queues.contains("ab")).isTrue();
		this.queues.remove("ab");
		assertThat(this.queues.contains("ab")).isFalse();
		this.queues.remove("ab");
	}

	@Test
	void doesNotRunActionForQueueInUse() {
		List<String> events = new ArrayList<>();
		this.queues.add("a", "b");
		this.queues.runUnlessContained("ab", () -> events.add("in use"));
		this.queues.remove("ab");
		this.queues.runUnlessContained("ab", () -> events.add("not in use"));
		assertThat(events).containsExactly("not in use");
		assertThat(this.queues.contains("ab")).isFalse();
	}

	@Test
	void addWaitsForActionOnSameQueueOnly() throws Exception {
		List<String> events = Collections.synchronizedList(new ArrayList<>());
		Thread same = new Thread(() -> {
			this.queues.add("a", "1");
			events.add("added");
		});
		Thread other = new Thread(() -> this.queues.add("b", "1"));
		this.queues.runUnlessContained("a1", () -> {
			same.start();
			other.start();
			join(other);
			await("the lock").until(() -> same.getState() == Thread.State.BLOCKED);
			events.add("removed");
		});
		join(same);
		assertThat(events).containsExactly("removed", "added");
	}

	private static void join(Thread thread) {
		try {
			thread.join(TimeUnit.SECONDS.toMillis(30));
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		assertThat(thread.isAlive()).isFalse();
	}

}
