package io.statestore.broker.engine;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Deadlines in milliseconds of a clock that starts at 0 and never goes back. Setting,
 * moving and cancelling one takes the same short time however many there are, and leaves
 * nothing behind.
 * <p>
 * A deadline is a number of eight digits of six bits. A node waits at the level of the
 * highest digit in which its deadline differs from the current time, in the slot of that
 * digit; when the time reaches the slot, its nodes move to lower levels, and from level 0
 * they are due. So the slot that comes next is always the first one that is occupied at
 * the lowest level that has any.
 */
final class TimerWheel {

	/** The deadline of a node that is not waiting. */
	static final long NEVER = Long.MAX_VALUE;

	private static final int DIGIT_BITS = 6;

	private static final int SLOTS = 1 << DIGIT_BITS;

	private static final int LEVELS = 8;

	/** About 8,900 years. Whatever is later never comes. */
	private static final long MAX_DEADLINE = (1L << (LEVELS * DIGIT_BITS)) - 1;

	private final Node[] slots = new Node[LEVELS * SLOTS];

	/** One bit per slot. A bit may be left set when the last node has gone. */
	private final long[] occupied = new long[LEVELS];

	private long current;

	/** The slot whose nodes are on their way to lower levels. */
	private @Nullable Node cascading;

	TimerWheel() {
		for (int i = 0; i < this.slots.length; i++) {
			this.slots[i] = new Node();
		}
	}

	/**
	 * Set or move the deadline of a node. A node whose deadline moves away stays where it
	 * is until its slot is reached: a lease that is renewed again and again costs no more
	 * than writing down the new time.
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

	/** Forget the deadline of a node, if it has one. */
	void cancel(Node node) {
		if (node.deadline != NEVER) {
			node.unlink();
			node.deadline = NEVER;
		}
	}

	/** No deadline comes before this time; {@link #NEVER} if there is none. */
	long nextDeadline() {
		if (this.cascading != null) {
			return this.current;
		}
		int level = lowestOccupiedLevel();
		return (level < LEVELS) ? startOfFirstSlot(level) : NEVER;
	}

	/**
	 * Take out nodes whose deadline has come.
	 * @param now the time
	 * @param limit how many nodes to touch at most
	 * @param due told about each, in the order of the deadlines; it may use this wheel
	 * @return whether there is more to do at this time
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
		// If the clock goes back, the node must not enter a slot that is already past.
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

	/** Something that has a deadline; also the head of the ring of nodes in a slot. */
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
