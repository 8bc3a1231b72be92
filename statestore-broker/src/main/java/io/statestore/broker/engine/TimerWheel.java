package io.statestore.broker.engine;

import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * A hierarchical timing wheel (Varghese and Lauck, "Hashed and Hierarchical Timing
 * Wheels", 1987) for deadlines in milliseconds of a monotonic clock that starts at 0.
 * Scheduling, moving, and canceling a deadline take constant time and leave nothing
 * behind.
 * <p>
 * A deadline is a number of eight digits with six bits each. A node is stored at the
 * level of the highest digit in which its deadline differs from the current time, in the
 * slot of that digit. When the time reaches the slot, its nodes move to lower levels.
 * Nodes of a slot at level 0 are due. The next slot is therefore always the first
 * occupied slot at the lowest occupied level.
 * <p>
 * Nodes that are due form a separate ring, in no particular order. Due nodes remain in
 * this ring until they are canceled.
 */
final class TimerWheel {

	/** Deadline of an unscheduled node. */
	static final long NEVER = Long.MAX_VALUE;

	private static final int DIGIT_BITS = 6;

	private static final int SLOTS = 1 << DIGIT_BITS;

	private static final int LEVELS = 8;

	/** About 8,900 years. Later deadlines are treated as never. */
	private static final long MAX_DEADLINE = (1L << (LEVELS * DIGIT_BITS)) - 1;

	private final Node[] slots = new Node[LEVELS * SLOTS];

	/** One bit per slot. A bit may remain set after the last node has left its slot. */
	private final long[] occupied = new long[LEVELS];

	private long current;

	/**
	 * Nodes whose deadline has passed, some of which may have been moved to a later
	 * deadline since.
	 */
	private final Node due = new Node();

	/** Slot whose nodes are being moved to lower levels. */
	private @Nullable Node cascading;

	TimerWheel() {
		for (int i = 0; i < this.slots.length; i++) {
			this.slots[i] = new Node();
		}
	}

	/** Sets the time of an empty wheel. */
	void startAt(long now) {
		this.current = Math.min(now, MAX_DEADLINE);
	}

	/**
	 * Sets or moves the deadline of a node. If the new deadline is later, the node stays
	 * in its slot until that slot is reached. Renewing a lease repeatedly therefore only
	 * writes the new deadline.
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

	/** Cancels the deadline of a node, if it has one. */
	void cancel(Node node) {
		if (node.deadline != NEVER) {
			node.unlink();
			node.deadline = NEVER;
		}
	}

	/**
	 * Returns a time before which no deadline passes, or {@link #NEVER} if no node is
	 * scheduled.
	 */
	long nextDeadline() {
		return (this.due.next != this.due) ? 0 : firstSlot();
	}

	private long firstSlot() {
		if (this.cascading != null) {
			return this.current;
		}
		int level = lowestOccupiedLevel();
		return (level < LEVELS) ? startOfFirstSlot(level) : NEVER;
	}

	/**
	 * Collects nodes whose deadline has passed, and passes them to a visitor. The nodes
	 * remain in this wheel.
	 * @param now the current time in milliseconds
	 * @param limit the maximum number of nodes to collect, and the maximum number to
	 * visit
	 * @param visitor receives each node and returns whether to continue; must not use
	 * this wheel
	 */
	void visitDue(long now, int limit, Predicate<Node> visitor) {
		collect(now, limit);
		Node node = this.due.next;
		for (int visited = 0; visited < limit && node != this.due; visited++) {
			Node next = node.next;
			if (node.deadline > this.current) {
				node.unlink();
				link(node);
			}
			else if (node.deadline <= now && !visitor.test(node)) {
				return;
			}
			node = next;
		}
	}

	/** Moves nodes whose deadline has passed to the ring of due nodes. */
	private void collect(long now, int limit) {
		int touched = 0;
		long start = firstSlot();
		while (start <= now && touched < limit) {
			touched += step(start);
			start = firstSlot();
		}
		if (start > now) {
			this.current = Math.max(this.current, Math.min(now, MAX_DEADLINE));
		}
	}

	private int step(long start) {
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
		node.unlink();
		link(node);
		return 1;
	}

	private void link(Node node) {
		if (node.deadline <= this.current) {
			node.linkBefore(this.due);
			return;
		}
		long difference = node.deadline ^ this.current;
		int level = (63 - Long.numberOfLeadingZeros(difference)) / DIGIT_BITS;
		int digit = (int) (node.deadline >>> (level * DIGIT_BITS)) & (SLOTS - 1);
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

	/**
	 * An object with a deadline. Each slot is a ring of nodes whose head is also a node.
	 */
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
