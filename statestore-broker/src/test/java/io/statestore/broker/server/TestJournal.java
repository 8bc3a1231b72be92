package io.statestore.broker.server;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.server.Change.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/** A journal in memory that stops, fails, and loses its end on demand. */
final class TestJournal implements ChangeJournal {

	final LinkedBlockingQueue<Change> written = new LinkedBlockingQueue<>();

	/** Sizes of the writes. */
	final List<Integer> sizes = new ArrayList<>();

	volatile boolean failing;

	volatile @Nullable Error error;

	/** Last version of a journal without changes. */
	volatile @Nullable Version last;

	/** Number of changes that were forced. */
	volatile int forced;

	/** Whether the content is due, until it is written. */
	volatile boolean contentDue;

	private volatile @Nullable CountDownLatch hold;

	private final LinkedBlockingQueue<Boolean> held = new LinkedBlockingQueue<>();

	private final LinkedBlockingQueue<Boolean> failures = new LinkedBlockingQueue<>();

	@Override
	public @Nullable Version last() {
		List<Change> changes = changes();
		return changes.isEmpty() ? this.last : changes.get(changes.size() - 1).version();
	}

	@Override
	public boolean isAfterGap() {
		boolean afterGap = false;
		for (Change change : this.written) {
			afterGap = switch (change.operation()) {
				case GAP -> true;
				case START, COMPLETE -> false;
				default -> afterGap;
			};
		}
		return afterGap;
	}

	@Override
	public boolean isContentDue() {
		return this.contentDue;
	}

	@Override
	public void write(List<Change> changes) {
		attempt();
		this.sizes.add(changes.size());
		this.written.addAll(changes);
		if (changes.stream().anyMatch((change) -> change.operation() == Operation.COMPLETE)) {
			this.contentDue = false;
		}
	}

	@Override
	public void force() {
		attempt();
		this.forced = this.written.size();
	}

	private void attempt() {
		CountDownLatch hold = this.hold;
		if (hold != null) {
			this.held.add(true);
			try {
				hold.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}
		Error error = this.error;
		if (error != null) {
			this.error = null;
			throw error;
		}
		if (this.failing) {
			this.failures.add(true);
			throw new IllegalStateException("full");
		}
	}

	/** Lets the next write wait. */
	CountDownLatch hold() {
		CountDownLatch hold = new CountDownLatch(1);
		this.hold = hold;
		return hold;
	}

	/** Waits until a write waits. Later ones do not. */
	void awaitHeld() {
		await(this.held);
		this.hold = null;
	}

	void awaitFailures(int count) {
		for (int i = 0; i < count; i++) {
			await(this.failures);
		}
	}

	Change take() {
		return await(this.written);
	}

	List<Change> changes() {
		return List.copyOf(this.written);
	}

	List<Change> awaitChanges(int count) {
		Awaitility.await("changes").until(() -> this.written.size() >= count);
		assertThat(this.written).hasSize(count);
		return changes();
	}

	/** Loses the changes after the first ones, like a failure of the machine. */
	void truncate(int count) {
		List<Change> kept = changes().subList(0, count);
		this.written.clear();
		this.written.addAll(kept);
	}

	/** Returns the content of the store by the changes, with versions. */
	Map<Bytes, Bytes> rebuild() {
		Map<Bytes, Bytes> content = new HashMap<>();
		boolean complete = false;
		Version last = null;
		for (Change change : this.written) {
			boolean mark = change.operation().compareTo(Operation.GAP) >= 0;
			if (last != null) {
				assertThat(change.version().compareTo(last)).isGreaterThanOrEqualTo(mark ? 0 : 1);
			}
			last = change.version();
			switch (change.operation()) {
				case START, GAP -> {
					content.clear();
					complete = change.operation() == Operation.START;
				}
				case SET, PRESENT -> content.put(change.key(), change.value());
				case DELETE, EXPIRE -> content.remove(change.key());
				case COMPLETE -> complete = true;
				case CONTENT -> {
					if (!complete) {
						content.clear();
					}
				}
			}
		}
		assertThat(complete).as("the content is complete").isTrue();
		return content;
	}

	private static <T> T await(LinkedBlockingQueue<T> queue) {
		try {
			T next = queue.poll(10, TimeUnit.SECONDS);
			assertThat(next).as("something within ten seconds").isNotNull();
			return next;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
