package io.statestore.broker.engine;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;

/**
 * Clients grouped by the memory of their remembered replies; each class spans twice the
 * memory of the class below. An exact order would make every reply more expensive, and
 * shares only need to be approximately equal.
 */
final class ClientsBySize {

	private final List<Set<ClientReplies>> classes = new ArrayList<>();

	/** Has a bit set for each class that contains clients. */
	private long occupied;

	private long lastRank;

	ClientsBySize() {
		for (int i = 0; i < Long.SIZE; i++) {
			this.classes.add(new LinkedHashSet<>());
		}
	}

	/**
	 * Moves a client to the class of its current size.
	 * @param client the client whose replies have changed
	 * @param bytesBefore its memory before the change, 0 if it had none
	 */
	void changed(ClientReplies client, long bytesBefore) {
		int from = classOf(bytesBefore);
		int to = classOf(client.bytes());
		if (from == to) {
			return;
		}
		if (bytesBefore > 0) {
			Set<ClientReplies> left = this.classes.get(from);
			left.remove(client);
			if (left.isEmpty()) {
				this.occupied &= ~(1L << from);
			}
		}
		if (client.bytes() > 0) {
			this.lastRank++;
			add(client, this.lastRank);
		}
	}

	/** Returns the rank of the client that entered a class last. */
	long lastRank() {
		return this.lastRank;
	}

	/**
	 * Restores the clients.
	 * @param clients the clients that have replies, by ascending rank
	 * @param lastRank the last rank assigned
	 */
	void restore(List<ClientReplies> clients, long lastRank) {
		clients.forEach((client) -> add(client, client.rank()));
		this.lastRank = lastRank;
	}

	private void add(ClientReplies client, long rank) {
		client.setRank(rank);
		int to = classOf(client.bytes());
		this.classes.get(to).add(client);
		this.occupied |= 1L << to;
	}

	/**
	 * Returns the client that has been in the largest class for the longest time.
	 * @return the client whose oldest reply to remove next
	 * @throws NoSuchElementException if there are no clients
	 */
	ClientReplies largest() {
		if (this.occupied == 0) {
			throw new NoSuchElementException("No client has replies");
		}
		return this.classes.get(logarithm(this.occupied)).iterator().next();
	}

	/**
	 * Returns the class of a size. Class bounds are not powers of two, because memory
	 * limits often are, and a single busy client at its limit would change its class
	 * twice with each reply.
	 */
	private static int classOf(long bytes) {
		return logarithm(Math.max(1, 3 * bytes));
	}

	private static int logarithm(long number) {
		return Long.SIZE - 1 - Long.numberOfLeadingZeros(number);
	}

}
