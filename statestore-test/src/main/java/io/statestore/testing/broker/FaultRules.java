package io.statestore.testing.broker;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/** The faults in effect, in order of injection. Thread-safe. */
final class FaultRules {

	private final List<Rule> rules = new CopyOnWriteArrayList<>();

	InjectedFault add(MessageFaults selection, FaultAction action) {
		Rule rule = new Rule(selection, action);
		this.rules.add(rule);
		return rule;
	}

	/**
	 * Returns the effect on a message and counts the message.
	 * @param key key of the message; {@code null} if it has none
	 * @return the effect; {@code null} if no fault selects the message
	 */
	@Nullable FaultAction apply(MessageKind kind, String clientId, @Nullable Bytes key) {
		for (Rule rule : this.rules) {
			if (rule.selection.contains(kind, clientId, key) && rule.hit()) {
				return rule.action;
			}
		}
		return null;
	}

	void clear() {
		this.rules.clear();
	}

	private final class Rule implements InjectedFault {

		private final MessageFaults selection;

		private final FaultAction action;

		private final AtomicInteger hits = new AtomicInteger();

		Rule(MessageFaults selection, FaultAction action) {
			this.selection = selection;
			this.action = action;
		}

		/**
		 * Counts a message unless the limit is reached. Returns whether it was counted.
		 */
		boolean hit() {
			int limit = this.selection.limit();
			int before = this.hits.getAndUpdate((hits) -> Math.min(hits + 1, limit));
			if (before + 1 >= limit) {
				close();
			}
			return before < limit;
		}

		@Override
		public int hits() {
			return this.hits.get();
		}

		@Override
		public void close() {
			FaultRules.this.rules.remove(this);
		}

	}

}
