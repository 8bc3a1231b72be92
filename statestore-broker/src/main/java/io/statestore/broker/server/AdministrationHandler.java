package io.statestore.broker.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.statestore.broker.engine.LockState;
import io.statestore.broker.engine.LockStates;
import io.statestore.broker.engine.StateMachine;
import io.statestore.protocol.Administration;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.LockNames;
import io.statestore.protocol.LockPage;
import io.statestore.protocol.LockQuery;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Replies;
import io.statestore.protocol.Reply;
import io.statestore.protocol.StoredLock;
import io.statestore.protocol.Topics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers administration requests, which are an extension of this project. Each answer is
 * consistent: it reflects the state between two entries. Used only within the serial
 * executor.
 */
final class AdministrationHandler {

	private static final Logger logger = LoggerFactory.getLogger(AdministrationHandler.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	private final StateMachine machine;

	private final LogClock logClock;

	private final Connections connections;

	private final Observations observations;

	AdministrationHandler(StateMachine machine, LogClock logClock, Connections connections, Observations observations) {
		this.machine = machine;
		this.logClock = logClock;
		this.connections = connections;
		this.observations = observations;
	}

	/**
	 * Handles a request, after all earlier requests of the same client.
	 * @param authorized whether the client may administer the server
	 * @param waited the time since the arrival of the request in nanoseconds
	 */
	void handle(IncomingRequest request, boolean authorized, long waited) {
		this.connections.inOrder(request.connection(), request.bytes(), () -> {
			int reasonCode = ReasonCodes.UNSPECIFIED;
			try {
				reasonCode = answer(request, authorized, waited);
			}
			catch (RuntimeException ex) {
				logger.error("An administration request failed", ex);
			}
			RequestHandler.acknowledge(request, reasonCode);
		});
	}

	private int answer(IncomingRequest request, boolean authorized, long waited) {
		String topic = request.responseTopic();
		if (topic != null && !Topics.isResponseTopicAllowed(topic)) {
			return ReasonCodes.TOPIC_NAME_INVALID;
		}
		boolean expired = request.messageExpiry() != null && request.messageExpiry().toNanos() <= waited;
		if (request.qos() != 1 || topic == null || request.correlationData() == null || expired) {
			return ReasonCodes.IMPLEMENTATION_SPECIFIC;
		}
		byte[] payload;
		try {
			if (!authorized) {
				clientLog.warn("Refused an administration request of client '{}': it is not authorized",
						request.connection().clientId());
				throw new ProtocolException(ErrorReason.NOT_AUTHORIZED);
			}
			payload = Administration.encode(locks(Administration.decodeQuery(request.payload())));
		}
		catch (ProtocolException ex) {
			payload = Replies.encode(new Reply.Error(ex.reason()));
		}
		request.connection()
			.send(new OutgoingMessage(OutgoingMessage.Kind.REPLY, topic, payload, request.correlationData(),
					List.of()));
		return ReasonCodes.SUCCESS;
	}

	private LockPage locks(LockQuery query) {
		long logTime = this.logClock.now();
		LockStates states = this.machine.locks(query, logTime);
		return new LockPage(states.locks().stream().map((lock) -> describe(lock, logTime)).toList(), states.token());
	}

	private StoredLock describe(LockState lock, long logTime) {
		List<String> waiters = waiters(lock, logTime);
		return new StoredLock(lock.key(), lock.holder(), lock.version(), lock.token(), lock.clientId(),
				lock.remaining(), waiters.subList(0, Math.min(StoredLock.MAX_WAITERS, waiters.size())), waiters.size());
	}

	/**
	 * Returns the clients that wait for a lock: the successor, the clients that wait for
	 * the successor lock, and the clients that observe the lock itself, such as those of
	 * other libraries. The holder observes its lock, too.
	 */
	private List<String> waiters(LockState lock, long logTime) {
		Set<String> waiters = new TreeSet<>();
		addObservers(waiters, LockNames.successor(lock.key()));
		Set<String> observers = new TreeSet<>();
		addObservers(observers, lock.key());
		String holder = (lock.clientId() != null) ? lock.clientId() : LockNames.holderName(lock.holder()).toUtf8();
		if (lock.clientId() != null || observers.contains(holder)) {
			waiters.addAll(observers);
		}
		waiters.remove(holder);
		String successor = this.machine.successor(lock.key(), logTime);
		List<String> result = new ArrayList<>();
		if (successor != null) {
			result.add(successor);
			waiters.remove(successor);
		}
		result.addAll(waiters);
		return result;
	}

	private void addObservers(Set<String> clientIds, Bytes key) {
		for (ClientConnection observer : this.observations.of(key)) {
			clientIds.add(observer.clientId());
		}
	}

}
