package io.statestore.broker.server;

import java.util.ArrayList;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replies that a leader holds until it is certain that it was the leader after it read
 * the state (Ongaro, "Consensus: Bridging Theory and Practice", section 6.4). One
 * confirmation is in flight at a time. Replies that arrive meanwhile share the next one.
 * Used only within the serial executor.
 */
final class HeldReplies {

	private static final Logger logger = LoggerFactory.getLogger(HeldReplies.class);

	private final ReplicatedLog log;

	private final UnfinishedBatches memory;

	private final SerialExecutor serial;

	private final RetryTimer timer;

	/** Replies of the confirmation in flight. */
	private List<Held> confirming = new ArrayList<>();

	/** Replies of the next confirmation. */
	private List<Held> waiting = new ArrayList<>();

	private boolean ended;

	/**
	 * Creates an object without replies.
	 * @param memory counts the memory of the replies
	 */
	HeldReplies(ReplicatedLog log, UnfinishedBatches memory, SerialExecutor serial, RetryTimer timer) {
		this.log = log;
		this.memory = memory;
		this.serial = serial;
		this.timer = timer;
	}

	/** See {@link CommandLog#confirm}. */
	void add(Runnable action, int bytes) {
		if (this.ended) {
			return;
		}
		this.memory.hold(bytes);
		this.waiting.add(new Held(action, bytes));
		if (this.confirming.isEmpty()) {
			confirm();
		}
	}

	private void confirm() {
		if (this.ended) {
			return;
		}
		// All of them were read before the call below.
		this.confirming.addAll(this.waiting);
		this.waiting.clear();
		List<Held> round = this.confirming;
		this.log.confirm((confirmed) -> this.serial.execute(() -> ended(round, confirmed)));
	}

	private void ended(List<Held> round, boolean confirmed) {
		if (this.ended || round != this.confirming) {
			return;
		}
		if (!confirmed) {
			this.timer.schedule(this::confirm);
			return;
		}
		this.confirming = new ArrayList<>();
		for (Held held : round) {
			this.memory.release(held.bytes);
			try {
				held.action.run();
			}
			catch (RuntimeException ex) {
				logger.error("A reply failed; continuing with the next one", ex);
			}
		}
		if (!this.waiting.isEmpty() && this.confirming.isEmpty()) {
			confirm();
		}
	}

	/** Drops all replies. */
	void end() {
		this.ended = true;
		this.confirming.clear();
		this.waiting.clear();
	}

	private record Held(Runnable action, int bytes) {
	}

}
