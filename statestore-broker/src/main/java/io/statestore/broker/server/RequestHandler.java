package io.statestore.broker.server;

import java.util.IdentityHashMap;
import java.util.Map;

import io.statestore.broker.engine.Answer;
import io.statestore.broker.engine.Request;
import io.statestore.broker.engine.StateStoreEngine;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Topics;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Handles a request from its message to its reply (protocol section 1). Used only within
 * the serial executor.
 */
final class RequestHandler {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(RequestHandler.class));

	/** Estimated heap of an observation in addition to its key, in bytes. */
	static final int OBSERVATION_OVERHEAD = 544;

	private static final Answer OVER_QUOTA = Answer.refused(ErrorReason.QUOTA_EXCEEDED);

	private final StateStoreEngine<ClientConnection> engine;

	private final Messages messages;

	private final RequestMemory memory;

	private final StateStoreServerCounters counters;

	/** Open connections, each with a number that is never used again. */
	private final Map<ClientConnection, Long> connections = new IdentityHashMap<>();

	private long lastConnection = RequestMemory.ANY_CONNECTION;

	RequestHandler(StateStoreEngine<ClientConnection> engine, Messages messages, RequestMemory memory,
			StateStoreServerCounters counters) {
		this.engine = engine;
		this.messages = messages;
		this.memory = memory;
		this.counters = counters;
	}

	void connected(ClientConnection connection) {
		this.lastConnection++;
		this.connections.put(connection, this.lastConnection);
	}

	void disconnected(ClientConnection connection) {
		this.connections.remove(connection);
		this.engine.disconnected(connection);
	}

	/**
	 * Resumes an observation, unless the client has already started it again.
	 * @param connection the connection of the client
	 * @param key the key
	 */
	void resume(ClientConnection connection, Bytes key) {
		if (this.engine.isObserved(connection, key)) {
			return;
		}
		boolean observable = Topics.isObservable(connection.clientId(), key);
		if (!observable || !reserve(connection, key)) {
			if (observable) {
				this.counters.countRefused();
			}
			clientLog.warn("Ended an observation of client '{}': {}", connection.clientId(),
					observable ? "its memory is exhausted. Raise --memory-per-client or --client-memory"
							: "the key is too long for the topic of its notifications");
			connection.observationEnded(key);
			return;
		}
		connection.observing(key);
		this.engine.resume(connection, key);
	}

	/**
	 * Notifies an observer of the current value of a key, if it still observes the key.
	 * @param connection the connection of the client
	 * @param key the key
	 */
	void renotify(ClientConnection connection, Bytes key) {
		if (this.engine.isObserved(connection, key)) {
			this.engine.resume(connection, key);
		}
	}

	/**
	 * Makes all later versions greater than a version.
	 * @param last the version
	 */
	void startAfter(Version last) {
		this.engine.startAfter(last);
	}

	/**
	 * Handles a request.
	 * @param request the request
	 * @param call the decoded request, or {@code null} if it cannot be answered
	 * @param arrival the time of arrival in nanoseconds
	 * @param now the time of execution in nanoseconds
	 * @return the reason code of the acknowledgment
	 */
	int handle(IncomingRequest request, @Nullable Call call, long arrival, long now) {
		String responseTopic = request.responseTopic();
		if (responseTopic != null && !Topics.isResponseTopicAllowed(responseTopic)) {
			return fail(request, ReasonCodes.TOPIC_NAME_INVALID, "its response topic is not allowed");
		}
		if (call == null) {
			return fail(request, ReasonCodes.IMPLEMENTATION_SPECIFIC,
					"it has no response topic, no correlation data, or another QoS than 1");
		}
		if (call.isExpiredAfter(now - arrival)) {
			this.counters.countExpired();
			return ReasonCodes.IMPLEMENTATION_SPECIFIC;
		}
		return answer(call, now);
	}

	private int fail(IncomingRequest request, int reasonCode, String reason) {
		this.counters.countFailed();
		clientLog.warn("A request of client '{}' has no effect: {}", request.connection().clientId(), reason);
		return reasonCode;
	}

	/** Updates the published sizes of the store and of the remembered replies. */
	void measure() {
		this.counters.measure(this.engine, this.memory);
	}

	static boolean isAnswerable(@Nullable Call call) {
		return call != null && Topics.isResponseTopicAllowed(call.responseTopic());
	}

	/**
	 * Refuses a request without executing it, unless it was executed before or cannot be
	 * answered.
	 * @param call the request, or {@code null} if it cannot be answered
	 * @param now the time in nanoseconds
	 * @return whether the request was refused
	 */
	boolean refuse(@Nullable Call call, long now) {
		if (call == null || !isAnswerable(call)) {
			return false;
		}
		Long scope = scope(call);
		if (scope == null || (call.isToBeRemembered() && this.memory.find(call, scope, now) != null)) {
			return false;
		}
		this.counters.countRefused();
		this.messages.refuse(call, ErrorReason.QUOTA_EXCEEDED);
		return true;
	}

	/**
	 * Returns the connection for which a reply is remembered. An observation ends with
	 * its connection, so on the next connection the same request starts a new one.
	 */
	private @Nullable Long scope(Call call) {
		if (call.isObservation()) {
			return this.connections.get(call.request().connection());
		}
		return RequestMemory.ANY_CONNECTION;
	}

	private int answer(Call call, long now) {
		Long scope = scope(call);
		if (scope == null) {
			return ReasonCodes.IMPLEMENTATION_SPECIFIC;
		}
		Answer answer = call.isToBeRemembered() ? this.memory.find(call, scope, now) : null;
		if (answer != null) {
			this.counters.countReplayed();
		}
		else {
			answer = execute(call);
			if (answer.equals(OVER_QUOTA)) {
				this.counters.countRefused();
			}
			if (call.isToBeRemembered()) {
				this.memory.remember(call, scope, answer, now);
			}
		}
		this.messages.reply(call, answer);
		return ReasonCodes.SUCCESS;
	}

	private Answer execute(Call call) {
		Command command = call.command();
		if (command == null) {
			return Answer.refused(call.error());
		}
		ClientConnection connection = call.request().connection();
		if (command instanceof Command.KeyNotify keyNotify
				&& !Topics.isObservable(connection.clientId(), keyNotify.key())) {
			return Answer.refused(ErrorReason.SYNTAX_ERROR);
		}
		if (command instanceof Command.KeyNotify keyNotify && !reserve(connection, keyNotify.key())) {
			return Answer.refused(ErrorReason.QUOTA_EXCEEDED);
		}
		boolean observed = isObserved(connection, command);
		Answer answer = this.engine.apply(new Request<>(command, call.timestamp(), call.fencingToken(), connection));
		if (observed && command instanceof Command.KeyNotifyStop stop) {
			connection.memory().release(MemoryUse.OBSERVATION, observationCost(stop.key()));
			connection.observationEnded(stop.key());
		}
		else if (!observed && command instanceof Command.KeyNotify keyNotify) {
			connection.observing(keyNotify.key());
		}
		return answer;
	}

	/** Returns whether the key of a KEYNOTIFY command is observed. */
	private boolean isObserved(ClientConnection connection, Command command) {
		return (command instanceof Command.KeyNotify keyNotify && this.engine.isObserved(connection, keyNotify.key()))
				|| (command instanceof Command.KeyNotifyStop stop && this.engine.isObserved(connection, stop.key()));
	}

	/** Reserves the memory of an observation until the observation ends. */
	private boolean reserve(ClientConnection connection, Bytes key) {
		return this.engine.isObserved(connection, key)
				|| connection.memory().tryReserve(MemoryUse.OBSERVATION, observationCost(key));
	}

	private static long observationCost(Bytes key) {
		return OBSERVATION_OVERHEAD + key.length();
	}

}
