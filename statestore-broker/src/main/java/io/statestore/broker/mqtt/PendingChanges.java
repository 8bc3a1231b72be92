package io.statestore.broker.mqtt;

import java.util.function.Consumer;

import io.statestore.broker.memory.Limits;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.session.Applied;
import io.statestore.broker.session.SessionChange;
import io.statestore.broker.session.SessionLog;
import org.slf4j.LoggerFactory;

/**
 * A connection's changes that are on their way to the log, and the replies to its
 * packets, in packet order (MQTT 5 section 4.6). While there are too many, the broker
 * does not read from the client. Used on the connection's event loop.
 */
final class PendingChanges {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(PendingChanges.class));

	/** Estimated heap of a change without a message, in bytes. */
	private static final int COST = 512;

	/** Maximum number of changes. The packets from a single read may exceed it. */
	private static final int MAX_COUNT = 1_024;

	/** Maximum estimated heap, in bytes. The packets from a single read may exceed it. */
	private static final long MAX_BYTES = 1024 * 1024;

	/** Reading resumes below the maximums divided by this number. */
	private static final int RESUME_DIVISOR = 4;

	private final ClientLink link;

	private final SessionLog log;

	private final Runnable fullChanged;

	private int count;

	private long bytes;

	private boolean full;

	/**
	 * Creates an object without changes.
	 * @param link the connection
	 * @param log the session log
	 * @param fullChanged called when {@link #isFull()} changes
	 */
	PendingChanges(ClientLink link, SessionLog log, Runnable fullChanged) {
		this.link = link;
		this.log = log;
		this.fullChanged = fullChanged;
	}

	SessionLog log() {
		return this.log;
	}

	boolean isEmpty() {
		return this.count == 0;
	}

	/** Returns whether reading must be suspended. */
	boolean isFull() {
		return this.full;
	}

	/**
	 * Appends a change. If the log rejects it, ends the connection so that the client may
	 * try again.
	 * @param applied receives the change's effect unless the connection has ended
	 */
	void append(SessionChange change, Consumer<Applied> applied) {
		append(change, applied, this::rejected);
	}

	/** Ends the connection because the log has rejected a change. */
	void rejected() {
		this.link.disconnect(ReasonCodes.QUOTA_EXCEEDED, "the log of the broker has no space");
	}

	/**
	 * Appends a change.
	 * @param applied receives the change's effect. If the connection has ended, it is
	 * only called for a CONNECT
	 * @param rejected called instead if the log rejects the change
	 */
	void append(SessionChange change, Consumer<Applied> applied, Runnable rejected) {
		int bytes = COST + change.cost();
		boolean connects = change instanceof SessionChange.Connect;
		add(bytes);
		this.log.append(change,
				new SessionLog.Outcome((effect) -> finish(bytes, connects, () -> applied.accept(effect)),
						() -> finish(bytes, connects, rejected)));
	}

	/** Runs a reply after the replies to earlier packets. */
	void replyInOrder(Runnable reply) {
		if (isEmpty()) {
			reply.run();
		}
		else {
			runInOrder(() -> {
			}, 0, reply);
		}
	}

	/**
	 * Runs an action after all earlier changes, and a reply after the replies to earlier
	 * packets.
	 * @param bytes estimated heap of the action
	 */
	void runInOrder(Runnable action, int bytes, Runnable reply) {
		add(bytes);
		this.log.inOrder(() -> {
			try {
				action.run();
			}
			finally {
				finish(bytes, false, reply);
			}
		}, bytes);
	}

	/**
	 * Releases the memory of a change or action and runs its reply on the event loop.
	 * @param evenIfEnded whether to run the reply even if the connection has ended
	 */
	private void finish(int bytes, boolean evenIfEnded, Runnable reply) {
		this.link.tasks().execute(() -> {
			remove(bytes);
			try {
				if (evenIfEnded || !this.link.isEnded()) {
					reply.run();
				}
			}
			catch (RuntimeException ex) {
				this.link.failed(ex);
			}
		});
	}

	/** Logs and counts a refusal because session memory is exhausted. */
	void refused(String what, MemoryUse use) {
		clientLog.warn(
				"Refused {} of client '{}': the memory of sessions and retained messages is exhausted. "
						+ Limits.RAISE_MEMORY,
				what, this.link.clientId(), this.log.sessions().memory().describeLargest());
		this.link.memory().refuse(use);
	}

	private void add(long bytes) {
		this.count++;
		this.bytes += bytes;
		this.link.memory().reserve(MemoryUse.INCOMING, bytes);
		update();
	}

	private void remove(long bytes) {
		this.count--;
		this.bytes -= bytes;
		this.link.memory().release(MemoryUse.INCOMING, bytes);
		update();
	}

	private void update() {
		int divisor = this.full ? RESUME_DIVISOR : 1;
		boolean full = this.count > MAX_COUNT / divisor || this.bytes > MAX_BYTES / divisor
				|| this.count > 0 && this.log.isCrowded();
		if (full != this.full) {
			this.full = full;
			this.fullChanged.run();
		}
	}

}
