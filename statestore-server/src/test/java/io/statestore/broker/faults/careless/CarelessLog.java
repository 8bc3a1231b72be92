package io.statestore.broker.faults.careless;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

import io.statestore.broker.server.ReplicatedLog;

/**
 * Log that confirms every read immediately.
 *
 * @param log log that handles all other calls
 */
record CarelessLog(ReplicatedLog log) implements ReplicatedLog {

	@Override
	public boolean propose(ByteBuffer entry, Object batch, Consumer<Outcome> failed) {
		return this.log.propose(entry, batch, failed);
	}

	@Override
	public void confirm(Consumer<Boolean> result) {
		result.accept(true);
	}

	@Override
	public boolean hasSpace() {
		return this.log.hasSpace();
	}

	@Override
	public int maxEntryBytes() {
		return this.log.maxEntryBytes();
	}

}
