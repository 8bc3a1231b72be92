package io.statestore.broker.server;

import java.util.Optional;

/** A log that keeps nothing. Every entry is committed and applied at once. */
final class MemoryCommandLog implements CommandLog {

	private final EntryApplier applier;

	MemoryCommandLog(EntryApplier applier) {
		this.applier = applier;
	}

	@Override
	public void start() {
		// Entries are not written
	}

	@Override
	public long append(Proposal proposal) {
		this.applier.apply(proposal);
		return 0;
	}

	@Override
	public long done() {
		return 0;
	}

	@Override
	public boolean isBusy() {
		return false;
	}

	@Override
	public void after(long position, Runnable action, int bytes) {
		action.run();
	}

	@Override
	public void confirm(ClientConnection connection, Runnable action, int bytes) {
		action.run();
	}

	@Override
	public void confirmed(ClientConnection connection) {
		// Nothing waits
	}

	@Override
	public boolean isReplicated() {
		return false;
	}

	@Override
	public boolean isFull() {
		return false;
	}

	@Override
	public boolean isExhausted() {
		return false;
	}

	@Override
	public boolean isWritable() {
		return true;
	}

	@Override
	public boolean isDurable() {
		return false;
	}

	@Override
	public void end() {
		// Nothing waits
	}

	@Override
	public Optional<DurabilityStatistics> durability() {
		return Optional.empty();
	}

	@Override
	public void close() {
		// Holds no resources
	}

}
