package io.statestore.client.mqtt;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class CompletionsTests {

	/** Asked for and not there yet. */
	private final Queue<Runnable> threads = new ArrayDeque<>();

	private final Completions completions = new Completions(this.threads::add);

	private final List<String> done = new ArrayList<>();

	@Test
	void aBurstAsksForOneThread() {
		for (int i = 0; i < 100; i++) {
			this.completions.execute(() -> this.done.add("task"));
		}
		assertThat(this.threads).hasSize(1);
		this.threads.remove().run();
		assertThat(this.done).hasSize(100);
	}

	@Test
	void whileATaskRunsAnotherThreadIsOnItsWayToTheNext() {
		this.completions.execute(() -> {
			// This one blocks: whatever comes now needs the other thread.
			this.threads.remove().run();
			this.done.add("first");
		});
		this.completions.execute(() -> this.done.add("second"));
		this.threads.remove().run();
		assertThat(this.done).containsExactly("second", "first");
	}

	@Test
	void whatComesWhileTheLastTaskRunsGetsAThread() {
		this.completions.execute(() -> {
			this.completions.execute(() -> this.done.add("second"));
			this.threads.remove().run();
			this.done.add("first");
		});
		this.threads.remove().run();
		assertThat(this.done).containsExactly("second", "first");
	}

	@Test
	void aTaskThatThrowsHoldsUpNobody() {
		this.completions.execute(() -> {
			throw new IllegalStateException("on purpose");
		});
		this.completions.execute(() -> this.done.add("second"));
		this.threads.remove().run();
		assertThat(this.done).containsExactly("second");
	}

	@Test
	void afterARejectionTheNextTaskAsksAgain() {
		List<Runnable> accepted = new ArrayList<>();
		Completions completions = new Completions((task) -> {
			if (accepted.isEmpty() && this.threads.isEmpty()) {
				this.threads.add(task);
				throw new RejectedExecutionException("no thread");
			}
			accepted.add(task);
		});
		assertThatExceptionOfType(RejectedExecutionException.class)
			.isThrownBy(() -> completions.execute(() -> this.done.add("first")));
		completions.execute(() -> this.done.add("second"));
		accepted.get(0).run();
		assertThat(this.done).containsExactly("first", "second");
	}

}
