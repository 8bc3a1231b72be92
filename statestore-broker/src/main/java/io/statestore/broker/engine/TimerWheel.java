package io.statestore.broker.engine;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Hierarchical timing wheel (Varghese and Lauck, "Hashed and Hierarchical Timing Wheels",
 * SOSP 1987). Deadlines are milliseconds of a clock that starts at 0 and never goes back.
 * Scheduling, moving, and canceling a deadline take constant time. Not thread-safe.
 * <p>
 * A deadline is a number of eight digits of six bits. A node is at the level of the
 * highest digit in which its deadline differs from the current time, in the slot of that
 * digit. When the time reaches a slot, its nodes move to lower levels; nodes of level 0
 * are due. The next slot is therefore the first occupied one of the lowest occupied level.
 */
final class TimerWheel {

	/** Deadline of a node that is not scheduled. */
	static final long NEVER = Long.MAX_VALUE;

	private static final int DIGIT_BITS = 6;

	private static final int SLOTS = 1 << DIGIT_BITS;

	private static final int LEVELS = 8;

	/** Maximum deadline, about 8,900 years. A later deadline is never due. */
	private static final long MAX_DEADLINE = (1L << (LEVELS * DIGIT_BITS)) - 1;

	private final Node[] slots = new Node[LEVELS * SLOTS];

	/** One bit per slot. The bit of an empty slot may still be set. */
	private final long[] occupied = new long[LEVELS];

	private long current;

	/** Slot whose nodes are being moved to lower levels, {@code null} for none. */
	private @Nullable Node cascading;

	TimerWheel() {
		for (int i = 0; i < this.slots.length; i++) {
			this.slots[i] = new Node();
		}
	}

	/**
	 * Sets or moves the deadline of a node. A node with a later deadline than before
	 * remains in its slot until the time reaches the slot, so that the renewal of a lease
	 * only stores the new deadline.
	 */
	void schedule(Node node, long deadline) {
		if (node.deadline <= deadline && node.deadline != NEVER && deadline <= MAX_DEADLINE) {
			node.deadline = deadline;
			return;
		}
		cancel(node);
		if (deadline <= MAX_DEADLINE) {
			node.deadline = deadline;
			link(node);
		}
	}

	/** Cancels the deadline of a node, if there is one. */
	void cancel(Node node) {
		if (node.deadline != NEVER) {
			node.unlink();
			node.deadline = NEVER;
		}
	}

	/** Returns a lower limit of all deadlines, {@link #NEVER} if there are none. */
	long nextDeadline() {
		if (this.cascading != null) {
			return this.current;
		}
		int level = lowestOccupiedLevel();
		return (level < LEVELS) ? startOfFirstSlot(level) : NEVER;
	}

	/**
	 * Advances the time, and removes the nodes that are due.
	 * @param now the current time
	 * @param limit maximum number of nodes to remove or to move
	 * @param due receives the removed nodes in the order of their deadlines, and may use
	 * this wheel
	 * @return whether the limit was reached before all due nodes were removed
	 */
	boolean advance(long now, int limit, Consumer<Node> due) {
		int touched = 0;
		while (true) {
			long start = nextDeadline();
			if (start > now) {
				this.current = Math.max(this.current, Math.min(now, MAX_DEADLINE));
				return false;
			}
			if (touched == limit) {
				return true;
			}
			touched += step(start, due);
		}
	}

	private int step(long start, Consumer<Node> due) {
		if (this.cascading != null) {
			Node node = this.cascading.next;
			if (node == this.cascading) {
				this.cascading = null;
				return 0;
			}
			node.unlink();
			link(node);
			return 1;
		}
		this.current = start;
		int level = lowestOccupiedLevel();
		int digit = Long.numberOfTrailingZeros(this.occupied[level]);
		Node slot = this.slots[level * SLOTS + digit];
		if (level > 0) {
			this.occupied[level] &= ~(1L << digit);
			this.cascading = slot;
			return 0;
		}
		Node node = slot.next;
		if (node == slot) {
			this.occupied[0] &= ~(1L << digit);
			return 0;
		}
		if (node.deadline > start) {
			node.unlink();
			link(node);
		}
		else {
			cancel(node);
			due.accept(node);
		}
		return 1;
	}

	private void link(Node node) {
		// The slot of an earlier deadline has already been processed
		long position = Math.max(node.deadline, this.current);
		long difference = position ^ this.current;
		int level = (difference == 0) ? 0 : (63 - Long.numberOfLeadingZeros(difference)) / DIGIT_BITS;
		int digit = (int) (position >>> (level * DIGIT_BITS)) & (SLOTS - 1);
		this.occupied[level] |= 1L << digit;
		node.linkBefore(this.slots[level * SLOTS + digit]);
	}

	private int lowestOccupiedLevel() {
		int level = 0;
		while (level < LEVELS && this.occupied[level] == 0) {
			level++;
		}
		return level;
	}

	private long startOfFirstSlot(int level) {
		int shift = level * DIGIT_BITS;
		long higherDigits = this.current >>> (shift + DIGIT_BITS) << (shift + DIGIT_BITS);
		return higherDigits | ((long) Long.numberOfTrailingZeros(this.occupied[level]) << shift);
	}

	/** Node with a deadline. Also the head of the circular list of a slot. */
	static class Node {

		private Node previous = this;

		private Node next = this;

		private long deadline = NEVER;

		final long deadline() {
			return this.deadline;
		}

		private void linkBefore(Node other) {
			this.next = other;
			this.previous = other.previous;
			this.previous.next = this;
			other.previous = this;
		}

		private void unlink() {
			this.previous.next = this.next;
			this.next.previous = this.previous;
			this.previous = this;
			this.next = this;
		}

	}

}
