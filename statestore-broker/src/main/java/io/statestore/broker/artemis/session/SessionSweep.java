package io.statestore.broker.artemis.session;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

import io.statestore.broker.artemis.disk.SessionFile;
import io.statestore.broker.artemis.disk.StoredSession;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;

/**
 * Periodic writer of changes that no packet reports: the ends of sessions and of
 * connections, the clock, and changes that could not be written earlier.
 */
final class SessionSweep {

	/**
	 * Number of sweeps between two writes of the clock. A sweep runs every half second.
	 */
	private static final int SWEEPS_PER_CLOCK = 20;

	private final SessionFile file;

	private final SessionStates states;

	private final SessionLedger ledger;

	private final SessionChanges changes;

	private final UnwrittenIds unwritten;

	private final SessionFailures failures;

	private int sweeps;

	/** Prevents a sweep after the server has stopped, when it has no sessions. */
	private final ReentrantLock sweeping = new ReentrantLock();

	private boolean closed;

	SessionSweep(SessionFile file, SessionStates states, SessionLedger ledger, SessionChanges changes,
			UnwrittenIds unwritten, SessionFailures failures) {
		this.file = file;
		this.states = states;
		this.ledger = ledger;
		this.changes = changes;
		this.unwritten = unwritten;
		this.failures = failures;
	}

	/** Writes the latest changes, unless this sweep is closed. */
	void run() {
		this.sweeping.lock();
		try {
			if (!this.closed) {
				compact();
				writeChanges();
				this.failures.swept();
			}
		}
		catch (IOException ex) {
			this.failures.failed(ex);
		}
		finally {
			this.sweeping.unlock();
		}
	}

	/** Writes the latest changes, and ignores further ones. */
	void close() {
		this.sweeping.lock();
		try {
			run();
			this.file.forceAll();
			// One more change, so that the file detects damage to the earlier ones.
			this.file.storeClock();
		}
		catch (IOException ex) {
			this.failures.failed(ex);
		}
		finally {
			this.closed = true;
			this.sweeping.unlock();
		}
	}

	private void compact() {
		try {
			this.file.compact();
		}
		catch (IOException ex) {
			// Changes may still fit into the present file.
			this.failures.failed(ex);
		}
	}

	private void writeChanges() throws IOException {
		Map<String, Boolean> stored = new HashMap<>();
		this.file.forEach((clientId, session) -> stored.put(clientId, session.detachedAt() == StoredSession.ATTACHED));
		// In this order, because a session starts in Artemis before it is stored.
		Map<String, MQTTSessionState> present = this.states.all();
		boolean all = this.failures.reset();
		long mark = 0;
		for (Map.Entry<String, MQTTSessionState> entry : present.entrySet()) {
			boolean changed = !stored.containsKey(entry.getKey())
					|| (stored.get(entry.getKey()) && !entry.getValue().isAttached());
			if (all || changed) {
				mark = Math.max(mark, append(entry.getKey(), entry.getValue()));
			}
		}
		for (String clientId : stored.keySet()) {
			if (!present.containsKey(clientId)) {
				mark = Math.max(mark, this.file.append(clientId, (session) -> this.ledger.isAttached(clientId)
						? List.of() : SessionChanges.ended(clientId, session)));
			}
		}
		this.file.force(mark);
		this.unwritten.retain(present.keySet());
		this.changes.retain((clientId) -> present.containsKey(clientId) || this.ledger.isLasting(clientId));
		if (++this.sweeps % SWEEPS_PER_CLOCK == 0) {
			this.file.storeClock();
		}
	}

	private long append(String clientId, MQTTSessionState session) throws IOException {
		if (!this.ledger.isLasting(clientId)) {
			return 0;
		}
		return this.file.append(clientId, (stored) -> this.changes.between(stored, session));
	}

}
