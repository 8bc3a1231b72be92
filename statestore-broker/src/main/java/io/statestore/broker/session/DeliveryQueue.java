package io.statestore.broker.session;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Messages waiting in a session, ordered by their numbers. A snapshot can read the queue
 * while it changes, because messages are only added at the end, and completed messages
 * are kept until the snapshot ends.
 */
final class DeliveryQueue {

	/** Number of messages in a chunk, which are removed together. */
	static final int CHUNK = 32;

	private @Nullable Chunk first;

	private @Nullable Chunk last;

	private long lastNumber;

	/** Number of the latest message added to this object. */
	private long added;

	/** Estimated heap of incomplete messages, in bytes. Other threads may read it. */
	private volatile long bytes;

	/** Number of incomplete messages. Other threads may read it. */
	private volatile int count;

	/** Number of the latest message that a snapshot reads. */
	private long readLimit;

	/** Returns the number of the latest message, even if it was removed. */
	long lastNumber() {
		return this.lastNumber;
	}

	void setLastNumber(long lastNumber) {
		this.lastNumber = lastNumber;
	}

	/**
	 * Returns whether a message with this number may be restored next from a snapshot.
	 */
	boolean isNext(long number) {
		return number > this.added && number <= this.lastNumber;
	}

	/** Returns the estimated heap of all incomplete messages, in bytes. */
	long bytes() {
		return this.bytes;
	}

	/** Returns the number of incomplete messages. */
	int count() {
		return this.count;
	}

	/** Adds a message, whose number must be higher than all others. */
	void add(Delivery delivery) {
		long index = (delivery.number() - 1) / CHUNK;
		Chunk chunk = this.last;
		if (chunk == null || chunk.index != index) {
			chunk = new Chunk(index);
			if (this.last != null) {
				this.last.next = chunk;
			}
			else {
				this.first = chunk;
			}
			this.last = chunk;
		}
		chunk.deliveries[slot(delivery.number())] = delivery;
		chunk.pending++;
		this.count++;
		this.bytes += delivery.cost();
		this.added = delivery.number();
		this.lastNumber = Math.max(this.lastNumber, this.added);
	}

	private static int slot(long number) {
		return (int) ((number - 1) % CHUNK);
	}

	/** Returns an incomplete message, {@code null} if there is none with this number. */
	@Nullable Delivery find(long number) {
		Chunk chunk = (number > 0) ? chunk(number) : null;
		Delivery delivery = (chunk != null) ? chunk.deliveries[slot(number)] : null;
		return (delivery != null && !delivery.isCompleted()) ? delivery : null;
	}

	private @Nullable Chunk chunk(long number) {
		long index = (number - 1) / CHUNK;
		Chunk chunk = this.first;
		while (chunk != null && chunk.index < index) {
			chunk = chunk.next;
		}
		return (chunk != null && chunk.index == index) ? chunk : null;
	}

	/**
	 * Completes a message.
	 * @param delivery the message
	 * @param epoch the current epoch
	 * @param kept receives messages that a snapshot may still need, {@code null} if there
	 * is no snapshot
	 */
	void complete(Delivery delivery, int epoch, @Nullable Kept kept) {
		Chunk chunk = chunk(delivery.number());
		if (chunk != null) {
			complete(chunk, delivery, epoch, kept);
		}
		while (this.first != null && this.first.pending == 0) {
			this.first = this.first.next;
		}
		if (this.first == null) {
			this.last = null;
		}
	}

	private void complete(Chunk chunk, Delivery delivery, int epoch, @Nullable Kept kept) {
		delivery.setCompleted(epoch);
		this.bytes -= delivery.cost();
		this.count--;
		chunk.pending--;
		int slot = slot(delivery.number());
		if (kept != null && delivery.number() <= this.readLimit) {
			kept.add(() -> chunk.deliveries[slot] = null, delivery.cost());
		}
		else {
			chunk.deliveries[slot] = null;
		}
	}

	/**
	 * Completes all messages except the first few.
	 * @param remaining number of messages to leave incomplete
	 * @param epoch the current epoch
	 * @param kept receives messages that a snapshot may still need, {@code null} if there
	 * is no snapshot
	 * @return the number of completed messages
	 */
	int completeAfter(int remaining, int epoch, @Nullable Kept kept) {
		int before = this.count;
		int position = 0;
		for (Chunk chunk = this.first; chunk != null; chunk = chunk.next) {
			for (Delivery delivery : chunk.deliveries) {
				if (delivery != null && !delivery.isCompleted() && position++ >= remaining) {
					complete(chunk, delivery, epoch, kept);
				}
			}
		}
		return before - this.count;
	}

	/** Returns the first incomplete message, {@code null} if there is none. */
	@Nullable Delivery first() {
		return next(0);
	}

	/**
	 * Returns the first incomplete message after a number, {@code null} if there is none.
	 */
	@Nullable Delivery next(long number) {
		for (Chunk chunk = this.first; chunk != null; chunk = chunk.next) {
			if ((chunk.index + 1) * CHUNK > number && chunk.pending > 0) {
				for (Delivery delivery : chunk.deliveries) {
					if (delivery != null && delivery.number() > number && !delivery.isCompleted()) {
						return delivery;
					}
				}
			}
		}
		return null;
	}

	/**
	 * Returns a reader of the current content. Until the snapshot ends, completed
	 * messages are kept for it.
	 */
	Reader read() {
		this.readLimit = this.lastNumber;
		return new Reader(this.first, this.lastNumber);
	}

	/** Reads a queue as it was when the reader was created, on any thread. */
	static final class Reader {

		private final long lastNumber;

		private @Nullable Chunk chunk;

		private int slot;

		private Reader(@Nullable Chunk chunk, long lastNumber) {
			this.chunk = chunk;
			this.lastNumber = lastNumber;
		}

		/**
		 * Returns the next message.
		 * @param epoch the snapshot's epoch; messages completed by then are skipped
		 * @return the message, {@code null} after the last message
		 */
		@Nullable Delivery next(int epoch) {
			while (this.chunk != null) {
				if (this.slot == CHUNK) {
					this.chunk = this.chunk.next;
					this.slot = 0;
					continue;
				}
				Delivery delivery = this.chunk.deliveries[this.slot++];
				if (delivery != null && delivery.number() > this.lastNumber) {
					this.chunk = null;
				}
				else if (delivery != null && !delivery.isCompleted(epoch)) {
					return delivery;
				}
			}
			return null;
		}

	}

	/** Completed messages that a snapshot may still need. */
	static final class Kept {

		private final List<Runnable> removals = new ArrayList<>();

		private long bytes;

		private void add(Runnable removal, int bytes) {
			this.removals.add(removal);
			this.bytes += bytes;
		}

		/** Returns the estimated heap of the messages, in bytes. */
		long bytes() {
			return this.bytes;
		}

		/** Removes the kept messages. */
		void remove() {
			this.removals.forEach(Runnable::run);
		}

	}

	private static final class Chunk {

		/** Number of the chunk's first message, divided by {@link #CHUNK}. */
		private final long index;

		private final @Nullable Delivery[] deliveries = new @Nullable Delivery[CHUNK];

		/** Number of incomplete messages. */
		private int pending;

		private @Nullable Chunk next;

		Chunk(long index) {
			this.index = index;
		}

	}

}
