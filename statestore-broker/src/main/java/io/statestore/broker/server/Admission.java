package io.statestore.broker.server;

import io.statestore.protocol.Topics;
import org.slf4j.LoggerFactory;

/**
 * Admission of requests, which protects the server from overload. Requests that are not
 * admitted have no effect and no reply. Used only within the serial executor.
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

	/**
	 * Returns whether a request can be answered. Acknowledges it otherwise, and keeps
	 * nothing of its content.
	 * @param answerable whether the request has all that a reply needs
	 * @param waited the time since its arrival in nanoseconds
	 */
	boolean admits(IncomingRequest request, boolean answerable, long waited) {
		if (drop(request)) {
			return false;
		}
		String responseTopic = request.responseTopic();
		if (responseTopic != null && !Topics.isResponseTopicAllowed(responseTopic)) {
			fail(request, ReasonCodes.TOPIC_NAME_INVALID, "its response topic is not allowed");
			return false;
		}
		if (!answerable) {
			fail(request, ReasonCodes.IMPLEMENTATION_SPECIFIC,
					"it has no response topic, no correlation data, or another QoS than 1");
			return false;
		}
		if (request.isExpiredAfter(waited)) {
			this.counters.countExpired();
			acknowledgeInOrder(request, ReasonCodes.IMPLEMENTATION_SPECIFIC);
			return false;
		}
		return true;
	}

	/**
	 * Returns whether a request is dropped because even its refusal would have to wait,
	 * and needs more memory. Its client does not wait for the replies to earlier ones.
	 */
	private boolean drop(IncomingRequest request) {
		ClientConnection connection = request.connection();
		if (!this.log.isExhausted() || !this.connections.mustWait(connection)) {
			return false;
		}
		this.counters.countFailed();
		clientLog.warn("Ended the connection of client '{}': too many of its requests wait for the disk",
				connection.clientId());
		RequestHandler.acknowledge(request, ReasonCodes.QUOTA_EXCEEDED);
		connection.disconnect(ReasonCodes.QUOTA_EXCEEDED, "Too many requests wait for the disk");
		return true;
	}

	private void fail(IncomingRequest request, int reasonCode, String reason) {
		this.counters.countFailed();
		clientLog.warn("A request of client '{}' has no effect: {}", request.connection().clientId(), reason);
		acknowledgeInOrder(request, reasonCode);
	}

	private void acknowledgeInOrder(IncomingRequest request, int reasonCode) {
		IncomingRequest kept = request.withoutContent();
		this.connections.inOrder(request.connection(), 0, () -> RequestHandler.acknowledge(kept, reasonCode));
	}

	/**
	 * Returns whether to refuse a request that does not change anything, because it or
	 * its reply would have to wait, and too much memory is held.
	 */
	boolean refuses(IncomingRequest request) {
		return this.log.isFull() && (this.log.isReplicated() || this.connections.mustWait(request.connection()));
	}

}
