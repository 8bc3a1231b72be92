package io.statestore.broker.server;

import java.util.function.Consumer;

import io.statestore.broker.engine.Answer;
import io.statestore.broker.engine.LogEntry;

/**
 * An entry that the server itself appends.
 *
 * @param entry the entry
 * @param bytes the number of bytes from clients in the entry
 * @param handler called when the entry is applied
 * @param rejection called if the entry has no effect
 */
record InternalProposal(LogEntry entry, int bytes, Consumer<Answer> handler, Runnable rejection) implements Proposal {

	@Override
	public boolean isEssential() {
		// Versions are issued, and sessions changed, at the request of clients.
		return !(this.entry instanceof LogEntry.Issue || this.entry instanceof LogEntry.Session);
	}

	@Override
	public void applied(Answer answer) {
		this.handler.accept(answer);
	}

	@Override
	public void rejected() {
		this.rejection.run();
	}

	@Override
	public void failed() {
		this.rejection.run();
	}

}
