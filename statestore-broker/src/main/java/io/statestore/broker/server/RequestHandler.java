package io.statestore.broker.server;

import java.util.List;

import io.statestore.broker.engine.Answer;
import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.StateMachine;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles a request from its message to its acknowledgment (protocol section 1). Writes
 * go through the command log. Other requests of the same client wait for them. Used only
 * within the serial executor.
 */
final class RequestHandler implements Proposer.WriteHandler {

	private static final Logger logger = LoggerFactory.getLogger(RequestHandler.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	private static final Answer OVER_QUOTA = Answer.refused(ErrorReason.QUOTA_EXCEEDED);

	private final StateMachine machine;

	private final CommandLog log;

	private final LogClock logClock;

	private final Proposer proposer;

	private final Connections connections;

	private final ClientObservations observations;

	private final Messages messages;

	private final StateStoreServerCounters counters;

	RequestHandler(StateMachine machine, CommandLog log, LogClock logClock, Proposer proposer, Connections connections,
			ClientObservations observations, Messages messages, StateStoreServerCounters counters) {
		this.machine = machine;
		this.log = log;
		this.logClock = logClock;
		this.proposer = proposer;
		this.connections = connections;
		this.observations = observations;
		this.messages = messages;
		this.counters = counters;
	}

	/**
	 * Handles a request.
	 * @param request the request
	 * @param call the decoded request, or {@code null} if it cannot be answered
	 * @param arrival the time of arrival in nanoseconds
	 * @param now the current time in nanoseconds
	 */
	void handle(IncomingRequest request, @Nullable Call call, long arrival, long now) {
		String responseTopic = request.responseTopic();
		if (responseTopic != null && !Topics.isResponseTopicAllowed(responseTopic)) {
			fail(request, ReasonCodes.TOPIC_NAME_INVALID, "its response topic is not allowed");
		}
		else if (call == null) {
			fail(request, ReasonCodes.IMPLEMENTATION_SPECIFIC,
					"it has no response topic, no correlation data, or another QoS than 1");
		}
		else if (call.isExpiredAfter(now - arrival)) {
			this.counters.countExpired();
			acknowledgeInOrder(request, ReasonCodes.IMPLEMENTATION_SPECIFIC);
		}
		else if (call.command() instanceof Command.Write write) {
			write(call, write, now);
		}
		else if (this.log.isFull()) {
			refuse(call);
		}
		else {
			boolean waits = this.connections.mustWait(request.connection());
			inOrder(call, () -> answer(call, now, waits));
		}
	}

	private void fail(IncomingRequest request, int reasonCode, String reason) {
		this.counters.countFailed();
		clientLog.warn("A request of client '{}' has no effect: {}", request.connection().clientId(), reason);
		acknowledgeInOrder(request, reasonCode);
	}

	private void acknowledgeInOrder(IncomingRequest request, int reasonCode) {
		this.connections.inOrder(request.connection(), request.payload().length(),
				() -> acknowledge(request, reasonCode));
	}

	private void inOrder(Call call, Runnable action) {
		IncomingRequest request = call.request();
		this.connections.inOrder(request.connection(), request.payload().length(), () -> {
			try {
				action.run();
			}
			catch (RuntimeException ex) {
				logger.error("A request failed", ex);
				acknowledge(request, ReasonCodes.UNSPECIFIED);
			}
		});
	}

	private void write(Call call, Command.Write command, long now) {
		if (this.log.isFull() || !this.log.isWritable()) {
			// The same request may have been received before, and be in the log.
			inOrder(call, () -> rejected(call));
			return;
		}
		long position = this.proposer.write(call, command, now, this);
		this.connections.appended(call.request().connection(), position);
	}

	@Override
	public void applied(Call call, Answer answer) {
		if (this.machine.isRepeated()) {
			this.counters.countReplayed();
		}
		else if (answer.equals(OVER_QUOTA)) {
			this.counters.countRefused();
		}
		reply(call, answer);
	}

	@Override
	public void rejected(Call call) {
		Answer answer = this.machine.remembered(call.request().connection().clientId(), call.correlationData(),
				call.digest());
		if (answer != null) {
			this.counters.countReplayed();
			reply(call, answer);
		}
		else {
			refuse(call);
		}
	}

	@Override
	public void failed(Call call) {
		acknowledge(call.request(), ReasonCodes.UNSPECIFIED);
	}

	private void refuse(Call call) {
		this.counters.countRefused();
		reply(call, OVER_QUOTA);
	}

	/**
	 * Answers a request that is not logged.
	 * @param now the time of its arrival in nanoseconds
	 * @param waited whether it has waited for earlier requests of the client
	 */
	private void answer(Call call, long now, boolean waited) {
		Command command = call.command();
		if (command == null) {
			reply(call, Answer.refused(call.error()));
		}
		else if (command instanceof Command.KeyNotify || command instanceof Command.KeyNotifyStop) {
			if (this.connections.contains(call.request().connection())) {
				reply(call, this.observations.answer(call, command, now));
			}
			else {
				acknowledge(call.request(), ReasonCodes.IMPLEMENTATION_SPECIFIC);
			}
		}
		else if (waited) {
			// Its place is right behind the earlier requests, and so is its log time.
			answerFromState(call, command);
		}
		else {
			read(call, command, this.logClock.at(now));
		}
	}

	/**
	 * Answers a GET or SCAN. Keys that have expired are removed first. Without the entry
	 * in the log, a restart could show them again.
	 * @param since log time of the first attempt
	 */
	private void read(Call call, Command command, long since) {
		List<Bytes> due = due(command, since);
		if (!due.isEmpty()) {
			long position = this.proposer.expire(due, () -> read(call, command, since), () -> refuse(call));
			this.connections.appended(call.request().connection(), position);
			return;
		}
		answerFromState(call, command);
	}

	private void answerFromState(Call call, Command command) {
		this.proposer.receive(call.timestamp());
		reply(call, this.machine.read(command));
	}

	private List<Bytes> due(Command command, long since) {
		if (command instanceof Command.Get get) {
			return (this.machine.nextDeadline() <= since && this.machine.isDue(get.key(), since)) ? List.of(get.key())
					: List.of();
		}
		while (this.machine.nextDeadline() <= since) {
			List<Bytes> due = this.machine.due(this.logClock.now(), LogEntry.Expire.MAX_KEYS);
			if (!due.isEmpty()) {
				return due;
			}
		}
		return List.of();
	}

	private void reply(Call call, Answer answer) {
		int reasonCode = ReasonCodes.UNSPECIFIED;
		try {
			this.messages.reply(call, answer);
			reasonCode = ReasonCodes.SUCCESS;
		}
		catch (RuntimeException ex) {
			logger.error("A reply failed", ex);
		}
		acknowledge(call.request(), reasonCode);
	}

	/**
	 * Acknowledges a request.
	 * @param request the request
	 * @param reasonCode the reason code
	 */
	static void acknowledge(IncomingRequest request, int reasonCode) {
		ClientConnection connection = request.connection();
		try {
			// First: a request that is not acknowledged would come again with the next
			// connection, and end that one, too.
			request.acknowledgment().acknowledge(reasonCode);
			if (reasonCode == ReasonCodes.TOPIC_NAME_INVALID) {
				connection.disconnect(ReasonCodes.PROTOCOL_ERROR, "The response topic of a request is not allowed");
			}
		}
		catch (RuntimeException ex) {
			clientLog.warn("Could not acknowledge a request of client '{}': {}", connection.clientId(), ex);
		}
	}

}
