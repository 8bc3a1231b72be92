package io.statestore.broker.artemis.session;

import io.statestore.broker.packet.TopicFilter;
import io.statestore.protocol.Topics;
import org.apache.activemq.artemis.core.config.WildcardConfiguration;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTUtil;
import org.jspecify.annotations.Nullable;

/**
 * Unambiguous names of queues in Artemis. Artemis 2.43 joins a client id, or the name of
 * a shared subscription, and a topic filter with a dot. It also replaces slashes of the
 * filter by dots. Client {@code a} with filter {@code b/c}, client {@code a.b} with
 * filter {@code c}, and {@code $share/a/b/c} would therefore share one queue.
 * <p>
 * For Artemis, each client id ends with a slash. The last slash in the name of a queue is
 * that of the client id, because filters contain none. Apostrophes are encoded, because
 * Artemis inserts the client id into an SQL expression for "no local". In the names of
 * shared subscriptions, dots and dollar signs are replaced by characters that these names
 * must not contain (MQTT 5 section 4.8.2).
 * <p>
 * Internal: not part of the API.
 */
public final class QueueNames {

	private static final char END_OF_CLIENT_ID = '/';

	private static final String SHARED = MQTTUtil.SHARED_SUBSCRIPTION_PREFIX;

	/**
	 * Filter that takes the place of invalid ones. No session has a subscription to it,
	 * because the name of the shared subscription is empty.
	 */
	static final String INVALID_FILTER = SHARED + '/';

	/** Replaces dots in the names of shared subscriptions. */
	private static final char DOT = '+';

	/** Replaces dollar signs in the names of shared subscriptions. */
	private static final char DOLLAR = '#';

	/**
	 * Escape sequence that makes Artemis 2.43 mistake the dots of a topic for its own
	 * separators, and therefore for the slashes of another topic.
	 */
	private static final String ESCAPED_SEPARATOR = "\\/";

	/** Separator of an address and the name of a queue in Artemis. */
	private static final String QUEUE_SEPARATOR = "::";

	private QueueNames() {
	}

	/**
	 * Returns whether Artemis may confuse a topic or a filter with another one.
	 * @param topic topic or topic filter of a client
	 * @return whether it must be refused
	 */
	public static boolean isAmbiguous(String topic) {
		return topic.contains(ESCAPED_SEPARATOR) || containsQueueSeparator(topic);
	}

	/**
	 * Returns whether Artemis would take a topic, a filter, or a client id for the name
	 * of a queue, which may belong to another client.
	 * @param name topic, topic filter, or client id
	 * @return whether it must be refused
	 */
	public static boolean containsQueueSeparator(String name) {
		return name.contains(QUEUE_SEPARATOR);
	}

	/** Returns the id of a client in Artemis. */
	static String clientId(String clientId) {
		return clientId.replace("%", "%25").replace("'", "%27") + END_OF_CLIENT_ID;
	}

	/**
	 * Returns the topic filter that Artemis receives.
	 * @param filter topic filter of a client
	 * @return the filter, {@link #INVALID_FILTER} if it is not valid
	 */
	static String internalFilter(String filter) {
		return isValidFilter(filter) ? filter(filter) : INVALID_FILTER;
	}

	private static String filter(String filter) {
		if (!filter.startsWith(SHARED)) {
			return filter;
		}
		int end = endOfShareName(filter);
		String name = filter.substring(SHARED.length(), end).replace('.', DOT).replace('$', DOLLAR);
		return SHARED + name + filter.substring(end);
	}

	/** Returns the part of a valid filter that matches topics. */
	static String topics(String filter) {
		return filter.startsWith(SHARED) ? filter.substring(endOfShareName(filter) + 1) : filter;
	}

	private static int endOfShareName(String filter) {
		int end = filter.indexOf('/', SHARED.length());
		return (end >= 0) ? end : filter.length();
	}

	/**
	 * Returns whether a filter is valid, unambiguous, and not too deep. The name of a
	 * shared subscription must not be empty or contain wildcards (MQTT 5 section 4.8.2).
	 */
	static boolean isValidFilter(String filter) {
		if (Topics.isFilterTooDeep(filter) || isAmbiguous(filter)) {
			return false;
		}
		if (!filter.startsWith(SHARED)) {
			return true;
		}
		int end = endOfShareName(filter);
		String name = filter.substring(SHARED.length(), end);
		return !name.isEmpty() && !TopicFilter.hasWildcard(name) && end + 1 < filter.length();
	}

	/**
	 * Returns the name of the queue of a subscription.
	 * @param clientId id of the client in Artemis
	 * @param filter topic filter that Artemis received
	 * @param wildcards wildcard characters of the server
	 */
	static String of(String clientId, String filter, WildcardConfiguration wildcards) {
		return MQTTUtil.getCoreQueueFromMqttTopic(filter, clientId, wildcards);
	}

	/**
	 * Returns the id in Artemis of the client to which a queue belongs.
	 * @param queue name of a queue
	 * @return the client id, or {@code null} for a shared subscription or a retained
	 * message
	 */
	static @Nullable String owner(String queue) {
		if (isAcknowledgments(queue)) {
			return queue.substring(MQTTUtil.QOS2_MANAGEMENT_QUEUE_PREFIX.length());
		}
		int end = queue.lastIndexOf(END_OF_CLIENT_ID);
		return (end >= 0) ? queue.substring(0, end + 1) : null;
	}

	/** Returns the name of the queue with the QoS 2 acknowledgments of a session. */
	static String acknowledgments(String clientId) {
		return MQTTUtil.QOS2_MANAGEMENT_QUEUE_PREFIX + clientId;
	}

	/** Returns whether a queue holds a retained message. */
	static boolean isRetained(String queue) {
		return queue.startsWith(MQTTUtil.MQTT_RETAIN_ADDRESS_PREFIX) && queue.indexOf(END_OF_CLIENT_ID) < 0;
	}

	/** Returns whether a queue holds the QoS 2 acknowledgments of a session. */
	static boolean isAcknowledgments(String queue) {
		return queue.startsWith(MQTTUtil.QOS2_MANAGEMENT_QUEUE_PREFIX) && queue.indexOf(END_OF_CLIENT_ID) >= 0
				&& queue.charAt(queue.length() - 1) == END_OF_CLIENT_ID;
	}

	/** Returns whether a queue belongs to a subscription. */
	static boolean isSubscription(String queue) {
		return !isRetained(queue) && !isAcknowledgments(queue);
	}

}
