package io.statestore.broker.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replies that a leader holds until it is certain that it was still the leader after it
 * read the state (Ongaro, "Consensus: Bridging Theory and Practice", section 6.4). Only
 * one confirmation is in flight at a time. Replies added in the meantime share the next
 * confirmation. Used only within the serial executor.
 */
final class HeldReplies {

	private static final Logger logger = LoggerFactory.getLogger(HeldReplies.class);

	private final ReplicatedLog replicatedLog;

	private final CommandLog commandLog;

	private final SerialExecutor serial;

	private final RetryTimer timer;

	/** Replies that the confirmation in flight covers. */
	private List<Held> confirming = new ArrayList<>();

	/** Replies waiting for the next confirmation. */
	private List<Held> waiting = new ArrayList<>();

	/** Each connection's replies, in order. */
	private final Map<ClientConnection, Queue<Held>> byConnection = new IdentityHashMap<>();

	private boolean ended;

	/**
	 * Creates an object without replies.
	 * @param commandLog counts the memory of the replies
	 */
	HeldReplies(ReplicatedLog replicatedLog, CommandLog commandLog, SerialExecutor serial, RetryTimer timer) {
		this.replicatedLog = replicatedLog;
		this.commandLog = commandLog;
		this.serial = serial;
		this.timer = timer;
	}

	/** See {@link CommandLog#confirm}. */
	void add(ClientConnection connection, Runnable action, int bytes) {
		if (this.ended) {
			return;
		}
		this.commandLog.hold(bytes);
		Held reply = new Held(connection, action, bytes);
		this.waiting.add(reply);
		this.byConnection.computeIfAbsent(connection, (absent) -> new ArrayDeque<>(4)).add(reply);
		if (this.confirming.isEmpty()) {
			confirm();
		}
	}

	private void confirm() {
		if (this.ended) {
			return;
		}
		// For all of these, the state was read before the call to confirm below.
		this.confirming.addAll(this.waiting);
		this.waiting.clear();
		List<Held> round = this.confirming;
		this.replicatedLog.confirm((confirmed) -> this.serial.execute(() -> confirmationEnded(round, confirmed)));
	}

	private void confirmationEnded(List<Held> round, boolean confirmed) {
		if (this.ended || round != this.confirming) {
			return;
		}
		if (!confirmed) {
			this.timer.schedule(this::confirm);
			return;
		}
		this.confirming = new ArrayList<>();
		for (Held reply : round) {
			if (!reply.isSent()) {
				Queue<Held> replies = Objects.requireNonNull(this.byConnection.get(reply.connection));
				replies.remove();
				if (replies.isEmpty()) {
					this.byConnection.remove(reply.connection);
				}
				send(reply);
			}
		}
		if (!this.waiting.isEmpty() && this.confirming.isEmpty()) {
			confirm();
		}
	}

	/** See {@link CommandLog#confirmed}. */
	void confirmed(ClientConnection connection) {
		Queue<Held> replies = this.byConnection.isEmpty() ? null : this.byConnection.remove(connection);
		if (replies != null) {
			replies.forEach(this::send);
		}
	}

	private void send(Held reply) {
		this.commandLog.release(reply.bytes);
		try {
			reply.send();
		}
		catch (RuntimeException ex) {
			logger.error("Failed to send a reply to client '{}'; continuing with the next reply. This is a bug: report "
					+ "it with this stack trace", reply.connection.clientId(), ex);
		}
	}

	/** Drops all replies. */
	void end() {
		this.ended = true;
		this.confirming.clear();
		this.waiting.clear();
		this.byConnection.clear();
	}

	/** A reply that is sent at most once. */
	private static final class Held {

		private final ClientConnection connection;

		private final int bytes;

		/** Sends the reply; {@code null} after it was sent. */
		private @Nullable Runnable action;

		Held(ClientConnection connection, Runnable action, int bytes) {
			this.connection = connection;
			this.action = action;
			this.bytes = bytes;
		}

		boolean isSent() {
			return this.action == null;
		}

		void send() {
			Runnable action = Objects.requireNonNull(this.action);
			this.action = null;
			action.run();
		}

	}

}
