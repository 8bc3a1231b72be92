package io.statestore.broker.server;

import io.statestore.broker.engine.Answer;
import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.StateMachine;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Applies committed entries, also during a recovery. */
final class EntryApplier {

	private static final Logger logger = LoggerFactory.getLogger(EntryApplier.class);

	private final StateMachine machine;

	EntryApplier(StateMachine machine) {
		this.machine = machine;
	}

	/** Applies the entry of a proposal, and calls it back. */
	void apply(Proposal proposal) {
		proposal.applying();
		Answer answer = apply(proposal.entry());
		if (answer != null) {
			proposal.applied(answer);
		}
		else {
			proposal.failed();
		}
	}

	/**
	 * Applies an entry. A recovery has to reach the same state, so it continues after an
	 * exception, too.
	 * @return the answer, or {@code null} if the machine threw an exception
	 */
	@Nullable Answer apply(LogEntry entry) {
		try {
			return this.machine.apply(entry);
		}
		catch (RuntimeException ex) {
			logger.error("A command failed; continuing with the next one", ex);
			return null;
		}
	}

}
