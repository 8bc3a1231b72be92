package io.statestore.broker.server;

import java.util.List;
import java.util.function.LongSupplier;

import io.statestore.broker.engine.Answer;
import io.statestore.broker.engine.KeySelection;
import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.StateMachine;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles requests, from message to acknowledgment (protocol section 1). Writes go
 * through the command log. Other requests from the same client wait for its writes. Used
 * only within the serial executor.
 */
final class RequestHandler {

	private static final Logger logger = LoggerFactory.getLogger(RequestHandler.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	/** Maximum memory of {@link #refusals}, in bytes. */
	private static final int MAX_REFUSAL_BYTES = 4 << 20;

	private static final Answer OVER_QUOTA = Answer.refused(ErrorReason.QUOTA_EXCEEDED);

	private final StateMachine machine;

	private final LongSupplier nanoClock;

	private final CommandLog log;

	private final LogClock logClock;

	private final Proposer proposer;

	private final Connections connections;

	private final Admission admission;

	private final KeyAccess access;

	private final ClientWatches watches;

	private final Messages messages;

	private final StateStoreServerCounters counters;

	/** Refusals of recent writes that the log could not accept. */
	private final RecentReplies refusals = new RecentReplies(MAX_REFUSAL_BYTES);

	RequestHandler(LongSupplier nanoClock, Proposer proposer, Admission admission, KeyAccess access,
			ClientWatches watches, Messages messages, StateStoreServerCounters counters) {
		this.machine = proposer.machine();
		this.nanoClock = nanoClock;
		this.log = proposer.log();
		this.logClock = proposer.logClock();
		this.proposer = proposer;
		this.connections = admission.connections();
		this.admission = admission;
		this.access = access;
		this.watches = watches;
		this.messages = messages;
		this.counters = counters;
	}

	/**
	 * Handles a request.
	 * @param request the request as received
	 * @param call the decoded request, or {@code null} if it cannot be answered
	 * @param arrival when the request arrived, in nanoseconds
	 * @param now the current time, in nanoseconds
	 */
	void handle(IncomingRequest request, @Nullable Call call, long arrival, long now) {
		if (!this.admission.admits(request, call != null, now - arrival) || call == null) {
			return;
		}
		if (call.command() instanceof Command.Write write) {
			write(call, write, arrival, now);
		}
		else if (this.admission.refuses(request)) {
			inOrder(call, () -> refuse(call));
		}
		else if (call.command() instanceof Command.Read read) {
			read(call, read, this.logClock.at(now));
		}
		else {
			inOrder(call, () -> answer(call, now));
		}
	}

	private void inOrder(Call call, Runnable action) {
		IncomingRequest request = call.request();
		this.connections.inOrder(request.connection(), request.bytes(), () -> run(call, action));
	}

	private static void run(Call call, Runnable action) {
		try {
			action.run();
		}
		catch (RuntimeException ex) {
			logger.error("Failed to handle a request of client '{}'. This is a bug: report it with this stack trace",
					call.request().connection().clientId(), ex);
			acknowledge(call.request(), ReasonCodes.UNSPECIFIED);
		}
	}

	private void write(Call call, Command.Write command, long arrival, long now) {
		if (this.log.isFull() || this.refusals.find(call, now) != null || !this.log.isWritable()) {
			this.refusals.add(call, OVER_QUOTA, now);
			int digest = call.digest();
			Call kept = call.withoutContent();
			// The same request may have been received earlier and be in the log.
			inOrder(kept, () -> rejected(kept, digest));
			return;
		}
		long position = this.proposer.write(call, command, now, new Write(call, arrival));
		this.connections.appended(call.request().connection(), position);
	}

	private void applied(Call call, Answer answer) {
		this.messages.endWrite();
		if (this.machine.isRepeated()) {
			this.counters.countReplayed();
		}
		else if (answer.equals(OVER_QUOTA)) {
			this.counters.countRefused();
			if (this.machine.isOverPrincipalLimit()) {
				this.counters.countRefusedKey();
			}
		}
		this.log.confirmed(call.request().connection());
		reply(call, orPresentValue(call, answer));
	}

	/**
	 * Answers a REPLACE that expected another version like a GET, if the client may read
	 * the key. The client can then retry its update without a separate GET. The value is
	 * read only when the reply is sent, so that the engine does not remember it with the
	 * answer.
	 */
	private Answer orPresentValue(Call call, Answer answer) {
		return (answer.reply().equals(Reply.Count.NOT_APPLIED) && call.command() instanceof Command.Set set
				&& set.condition() == Command.Condition.IF_VERSION
				&& this.access.mayRead(call.request().connection(), set.key()))
						? this.machine.read(new Command.Get(set.key())) : answer;
	}

	private void rejected(Call call, int digest) {
		Answer answer = this.machine.remembered(call.request().connection().requester(), call.correlationData(),
				digest);
		if (answer != null) {
			this.counters.countReplayed();
			replyConfirmed(call, answer);
		}
		else {
			this.counters.countRefused();
			// Confirmed, because a later leader may have executed the same request.
			replyConfirmed(call, OVER_QUOTA);
		}
	}

	private void refuse(Call call) {
		this.counters.countRefused();
		replyConfirmed(call, OVER_QUOTA);
	}

	/**
	 * Answers a KEYNOTIFY, or a request whose command is malformed or denied.
	 * @param now when the request was first handled, in nanoseconds
	 */
	private void answer(Call call, long now) {
		Command command = call.command();
		if (command == null) {
			replyConfirmed(call, Answer.refused(call.error()));
		}
		else if (this.connections.contains(call.request().connection())) {
			replyConfirmed(call, this.watches.answer(call, command, now));
		}
		else {
			acknowledge(call.request(), ReasonCodes.IMPLEMENTATION_SPECIFIC);
		}
	}

	/**
	 * Answers a GET, TTL, or SCAN. If a key has expired, an entry with the current log
	 * time is appended first. Without this entry, the key could reappear after a restart.
	 * While the disk is full, the last entry's log time is used instead.
	 */
	private void read(Call call, Command command, long logTime) {
		List<Bytes> due = (this.machine.nextDeadline() <= logTime) ? due(command, logTime) : null;
		if (due == null || !this.log.isWritable()) {
			inOrder(call, () -> answerFromState(call, command));
			return;
		}
		Runnable answer = () -> run(call, () -> answerFromState(call, command));
		long position = this.proposer.expire(due, call.request().bytes(), answer, answer);
		this.connections.appended(call.request().connection(), position);
	}

	/**
	 * Returns the keys to remove before a read, or {@code null} if none of the keys it
	 * reads is due. For a SCAN, the list is empty: a SCAN skips expired keys rather than
	 * removing them, because there may be many.
	 */
	private @Nullable List<Bytes> due(Command command, long logTime) {
		if (command instanceof Command.Keyed read) {
			return this.machine.isDue(read.key(), logTime) ? List.of(read.key()) : null;
		}
		boolean due = !this.machine.due(logTime, LogEntry.Expire.MAX_KEYS).isEmpty()
				|| this.machine.nextDeadline() <= logTime;
		return due ? List.of() : null;
	}

	private void answerFromState(Call call, Command command) {
		this.proposer.receive(call.timestamp());
		KeySelection readable = this.access.readable(call.request().connection());
		// The time to live decreases even without entries.
		replyConfirmed(call, (command instanceof Command.Ttl)
				? this.machine.read(command, readable, this.logClock.now()) : this.machine.read(command, readable));
	}

	/**
	 * Replies with a result read from the current state, once it is certain that the
	 * state is not outdated. Errors wait, too, so that replies are sent in request order.
	 */
	private void replyConfirmed(Call call, Answer answer) {
		if (!this.log.isReplicated()) {
			reply(call, answer);
			return;
		}
		// Encoded now so that its size is known and a replaced value is not kept alive.
		OutgoingMessage message = this.messages.message(call, answer);
		if (call.command() instanceof Command.Scan) {
			call.request().acknowledgment().read();
		}
		this.log.confirm(call.request().connection(), () -> reply(call, answer, message),
				call.request().bytes() + message.payload().length);
	}

	private void reply(Call call, Answer answer) {
		countRefusal(answer);
		try {
			this.messages.reply(call, answer);
		}
		catch (RuntimeException ex) {
			logger.error("Failed to reply to a request of client '{}' that has been executed. This is a bug: report it "
					+ "with this stack trace", call.request().connection().clientId(), ex);
		}
		// Acknowledged as successful, because a failure code would mean that the request
		// had no effect.
		acknowledge(call.request(), ReasonCodes.SUCCESS);
	}

	private void reply(Call call, Answer answer, OutgoingMessage message) {
		countRefusal(answer);
		Messages.send(call.request().connection(), message);
		acknowledge(call.request(), ReasonCodes.SUCCESS);
	}

	private void countRefusal(Answer answer) {
		if (answer.reply() instanceof Reply.Error error) {
			this.counters.countRefusal(error.reason());
		}
	}

	/**
	 * Acknowledges a request.
	 * @param request the request to acknowledge
	 * @param reasonCode the MQTT 5 reason code
	 */
	static void acknowledge(IncomingRequest request, int reasonCode) {
		ClientConnection connection = request.connection();
		try {
			// Acknowledged first, because the broker would otherwise redeliver the
			// request on the next connection, which would then end, too.
			request.acknowledgment().acknowledge(reasonCode);
			if (reasonCode == ReasonCodes.TOPIC_NAME_INVALID) {
				connection.disconnect(ReasonCodes.PROTOCOL_ERROR, "The response topic of a request is not allowed");
			}
		}
		catch (RuntimeException ex) {
			clientLog.warn("Could not acknowledge a request of client '{}': {}", connection.clientId(), ex);
		}
	}

	/** Handles the outcome of a write. */
	private final class Write implements Proposal.Handler {

		private final Call call;

		private final long arrival;

		Write(Call call, long arrival) {
			this.call = call;
			this.arrival = arrival;
		}

		@Override
		public boolean isExpired() {
			return this.call.isExpiredAt(this.arrival, RequestHandler.this.nanoClock);
		}

		@Override
		public void applying() {
			RequestHandler.this.messages.beginWrite(this.call);
		}

		@Override
		public void applied(Answer answer) {
			RequestHandler.this.applied(this.call, answer);
		}

		@Override
		public void rejected() {
			RequestHandler.this.refusals.add(this.call, OVER_QUOTA, RequestHandler.this.nanoClock.getAsLong());
			RequestHandler.this.rejected(this.call, this.call.digest());
		}

		@Override
		public void failed() {
			acknowledge(this.call.request(), ReasonCodes.UNSPECIFIED);
		}

		@Override
		public void expired() {
			RequestHandler.this.counters.countExpired();
			acknowledge(this.call.request(), ReasonCodes.IMPLEMENTATION_SPECIFIC);
		}

	}

}
