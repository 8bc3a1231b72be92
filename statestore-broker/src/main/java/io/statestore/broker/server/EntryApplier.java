package io.statestore.broker.server;

import io.statestore.broker.engine.Answer;
import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.StateMachine;

/** Applies committed entries, also during a recovery. */
final class EntryApplier {

	private final StateMachine machine;

	EntryApplier(StateMachine machine) {
		this.machine = machine;
	}

	/** Applies the entry of a proposal, and calls it back. */
	void apply(Proposal proposal) {
		proposal.applying();
		proposal.applied(apply(proposal.entry()));
	}

	/**
	 * Applies an entry. An exception of the machine becomes an error, which ends the
	 * store: the entry may be applied in part, and nodes may differ.
	 */
	Answer apply(LogEntry entry) {
		try {
			return this.machine.apply(entry);
		}
		catch (RuntimeException ex) {
			throw new AssertionError("An entry of the log cannot be applied, so the store stops. This is a bug: "
					+ "report it with this stack trace. If every start fails with this message, run another version "
					+ "or restore a backup", ex);
		}
	}

}
