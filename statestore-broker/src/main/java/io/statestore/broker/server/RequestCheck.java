package io.statestore.broker.server;

import io.statestore.protocol.Topics;
import org.slf4j.LoggerFactory;

/**
 * Finds requests that cannot be answered, or no longer. Counts and logs them. They have
 * no effect and no reply. Used only within the serial executor.
 */
final class RequestCheck {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(RequestCheck.class));

	private final StateStoreServerCounters counters;

	RequestCheck(StateStoreServerCounters counters) {
		this.counters = counters;
	}

	/**
	 * Checks a request.
	 * @param answerable whether the request has all that a reply needs
	 * @param waited the time since its arrival in nanoseconds
	 * @return the reason code with which to acknowledge the request,
	 * {@link ReasonCodes#SUCCESS} if it can be answered
	 */
	int check(IncomingRequest request, boolean answerable, long waited) {
		String responseTopic = request.responseTopic();
		if (responseTopic != null && !Topics.isResponseTopicAllowed(responseTopic)) {
			return failed(request, ReasonCodes.TOPIC_NAME_INVALID, "its response topic is not allowed");
		}
		if (!answerable) {
			return failed(request, ReasonCodes.IMPLEMENTATION_SPECIFIC,
					"it has no response topic, no correlation data, or another QoS than 1");
		}
		if (request.isExpiredAfter(waited)) {
			this.counters.countExpired();
			return ReasonCodes.IMPLEMENTATION_SPECIFIC;
		}
		return ReasonCodes.SUCCESS;
	}

	/**
	 * Counts and logs a request without effect.
	 * @param reason the reason, for the log
	 * @return the reason code
	 */
	int failed(IncomingRequest request, int reasonCode, String reason) {
		this.counters.countFailed();
		clientLog.warn("A request of client '{}' has no effect: {}", request.connection().clientId(), reason);
		return reasonCode;
	}

}
