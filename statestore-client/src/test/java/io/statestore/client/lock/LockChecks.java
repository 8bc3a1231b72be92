package io.statestore.client.lock;

import java.util.HashMap;
import java.util.Map;

import io.statestore.broker.engine.Answer;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Guarantees of locks that a simulation checks after each event, and counters that show
 * what has happened in it.
 */
final class LockChecks {

	/** Deletions of the key of the lock, by holder. */
	final Map<Bytes, Breach> breaches = new HashMap<>();

	/** Times when the store executed requests for the lock, by holder and version. */
	final Map<Grant, Long> grants = new HashMap<>();

	private final LockWorld world;

	int breachedTenures;

	int recreations;

	/** Token of the last fenced write that the store accepted. */
	private @Nullable Version lastToken;

	int acceptedWrites;

	int refusedWrites;

	int losses;

	int tenures;

	/** Longest time without faults in which the lock was free despite a waiter. */
	long longestUnserved;

	/** Time from which a free lock must be granted to a waiter soon. */
	private long servedFrom = Long.MAX_VALUE;

	/** Time from which the lock is free despite a waiter, or {@link Long#MAX_VALUE}. */
	private long unservedSince = Long.MAX_VALUE;

	LockChecks(LockWorld world) {
		this.world = world;
	}

	/** Expects that waiters are served soon from a time on. */
	void expectService(long from) {
		this.servedFrom = from;
	}

	/** Records that the store has lost its data, including the tokens of keys. */
	void recordEmptyStore() {
		this.lastToken = null;
	}

	/** Records that the key of a holder is about to be deleted or lost. */
	void recordBreach(Bytes holder) {
		this.breaches.put(holder, new Breach(this.world.now()));
		this.breachedTenures++;
	}

	/** Records the reply to a fenced write, and checks that tokens do not decrease. */
	void recordWrite(String writer, Version token, Answer answer) {
		if (answer.reply() instanceof Reply.Ok) {
			this.acceptedWrites++;
			this.world.log(() -> writer + " wrote with token " + token);
			if (this.lastToken != null && this.lastToken.compareTo(token) > 0) {
				this.world.fail("Token " + token + " was accepted after " + this.lastToken);
			}
			this.lastToken = token;
		}
		else {
			this.refusedWrites++;
		}
	}

	/** Checks all guarantees at this moment. */
	void run() {
		checkExclusive();
		this.world.nodes.forEach(SimulatedNode::checkReported);
		this.world.nodes.forEach(SimulatedNode::checkBreach);
		checkServed();
	}

	/**
	 * Checks that two tenures are valid at once only if the key of the earlier one was
	 * deleted or lost.
	 */
	private void checkExclusive() {
		SimulatedNode holder = null;
		for (SimulatedNode node : this.world.nodes) {
			if (node.isValid() && node.breach() == null) {
				if (holder != null) {
					this.world.fail("Two holders at once: " + holder.name + " and " + node.name);
				}
				holder = node;
			}
		}
	}

	private void checkServed() {
		if (this.world.now() < this.servedFrom || !isAwaited() || this.world.isTaken(LockWorld.LOCK)) {
			this.unservedSince = Long.MAX_VALUE;
			return;
		}
		this.unservedSince = Math.min(this.unservedSince, this.world.now());
		this.longestUnserved = Math.max(this.longestUnserved, this.world.now() - this.unservedSince);
	}

	private boolean isAwaited() {
		for (SimulatedNode node : this.world.nodes) {
			if (node.waiting) {
				return true;
			}
		}
		return false;
	}

	/** Request of a holder that the store has executed, and the resulting version. */
	record Grant(Bytes holder, Version version) {
	}

	/**
	 * Deletion or loss of the key of a holder.
	 *
	 * @param at time of the breach
	 */
	record Breach(long at) {
	}

}
