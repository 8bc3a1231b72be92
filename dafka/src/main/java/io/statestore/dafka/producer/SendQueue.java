package io.statestore.dafka.producer;

import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * Records on their way from the threads of users to that of the producer: a linked queue
 * of the records themselves, bounded by {@link MemoryBudget}.
 */
final class SendQueue {

	private final AtomicReference<@Nullable Pending> tail = new AtomicReference<>();

	/** The first one, as long as the queue was empty before; handed over by the tail. */
	private volatile @Nullable Pending first;

	/** Only for the thread that takes out. */
	private @Nullable Pending taken;

	void add(Pending pending) {
		Pending before = this.tail.getAndSet(pending);
		if (before != null) {
			before.following = pending;
		}
		else {
			this.first = pending;
		}
	}

	/** The next one, {@code null} if there is none yet. */
	@Nullable Pending poll() {
		Pending taken = this.taken;
		Pending next = (taken != null) ? taken.following : this.first;
		if (next != null) {
			this.taken = next;
			if (taken != null) {
				// Lets go of what was sent, so that the collector need not follow long
				// chains.
				taken.following = null;
			}
			else {
				this.first = null;
			}
		}
		return next;
	}

}
