package io.statestore.broker.server;

import io.statestore.protocol.Topics;
import org.slf4j.LoggerFactory;

/**
 * Decides which requests to admit, which protects the server from overload. Requests that
 * are not admitted have no effect and no reply. Used only within the serial executor.
 */
final class Admission {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(Admission.class));

	private final CommandLog log;

	private final Connections connections;

	private final StateStoreServerCounters counters;

	Admission(CommandLog log, Connections connections, StateStoreServerCounters counters) {
		this.log = log;
		this.connections = connections;
		this.counters = counters;
	}

	/** Returns the connections whose requests this object admits. */
	Connections connections() {
		return this.connections;
	}

	/**
	 * Returns whether to handle a request. If not, acknowledges it without keeping any of
	 * its content.
	 * @param answerable whether the request has everything that a reply requires
	 * @param waited the time since its arrival, in nanoseconds
	 */
	boolean admits(IncomingRequest request, boolean answerable, long waited) {
		if (dropIfExhausted(request)) {
			return false;
		}
		int reasonCode = check(request, answerable, waited);
		if (reasonCode != ReasonCodes.SUCCESS) {
			acknowledgeInOrder(request, reasonCode);
			return false;
		}
		return true;
	}

	/**
	 * Drops a request if memory is exhausted and even its refusal would have to wait.
	 * Also closes the client's connection, because the client keeps sending without
	 * waiting for earlier replies.
	 * @return whether the request was dropped
	 */
	private boolean dropIfExhausted(IncomingRequest request) {
		ClientConnection connection = request.connection();
		if (!this.log.isExhausted() || !(this.log.isReplicated() || this.connections.mustWait(connection))) {
			return false;
		}
		this.counters.countFailed();
		clientLog.warn(
				"Ended the connection of client '{}': too many of its requests wait for the disk. Check the disk",
				connection.clientId());
		RequestHandler.acknowledge(request, ReasonCodes.QUOTA_EXCEEDED);
		connection.disconnect(ReasonCodes.QUOTA_EXCEEDED, "Too many requests wait for the disk");
		return true;
	}

	/**
	 * Checks a request. Counts and logs it if it must not be handled.
	 * @return the reason code with which to acknowledge the request,
	 * {@link ReasonCodes#SUCCESS} if it can be answered
	 */
	private int check(IncomingRequest request, boolean answerable, long waited) {
		String responseTopic = request.responseTopic();
		if (responseTopic != null && !Topics.isResponseTopicAllowed(responseTopic)) {
			return failed(request, ReasonCodes.TOPIC_NAME_INVALID, "its response topic is not allowed");
		}
		if (!answerable) {
			return failed(request, ReasonCodes.IMPLEMENTATION_SPECIFIC,
					"it has no response topic, no correlation data, or a QoS other than 1");
		}
		if (request.isExpiredAfter(waited)) {
			this.counters.countExpired();
			return ReasonCodes.IMPLEMENTATION_SPECIFIC;
		}
		return ReasonCodes.SUCCESS;
	}

	private int failed(IncomingRequest request, int reasonCode, String reason) {
		this.counters.countFailed();
		clientLog.warn("A request of client '{}' has no effect: {}", request.connection().clientId(), reason);
		return reasonCode;
	}

	private void acknowledgeInOrder(IncomingRequest request, int reasonCode) {
		IncomingRequest kept = request.withoutContent();
		this.connections.inOrder(request.connection(), 0, () -> RequestHandler.acknowledge(kept, reasonCode));
	}

	/**
	 * Returns whether to refuse a read-only request because it or its reply would have to
	 * wait while too much memory is held.
	 */
	boolean refuses(IncomingRequest request) {
		return this.log.isFull() && (this.log.isReplicated() || this.connections.mustWait(request.connection()));
	}

}
