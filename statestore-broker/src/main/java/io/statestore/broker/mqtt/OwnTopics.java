package io.statestore.broker.mqtt;

import java.util.List;
import java.util.Locale;

import io.statestore.protocol.TopicFilter;
import io.statestore.protocol.Administration;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;

/**
 * The topics on which one client receives replies and notifications of the state store.
 * Libraries write the client id to response topics as it is, or in hexadecimal.
 */
final class OwnTopics {

	/** Start of the response topics of all libraries. */
	static final String CLIENTS = "clients/";

	/**
	 * What follows the client id in the response topics of libraries. Those that end with
	 * another one precede it.
	 */
	private static final List<String> RESPONSES = List.of("/services/statestore/_any_/command/invoke/response",
			"/services/" + Topics.REQUEST + "/response", '/' + Topics.REQUEST + "/response", '/' + Topics.REQUEST,
			Administration.responseTopic("").substring(CLIENTS.length()));

	/** Start of the response topics in which the name of the store precedes the id. */
	private static final String CLIENTS_OF_STORE = CLIENTS + "statestore/";

	/** What follows the client id in these topics. */
	private static final String RESPONSE = "/response";

	private final List<String> ids;

	private final List<String> prefixes;

	private final String notifications;

	OwnTopics(String clientId) {
		String hex = Bytes.of(clientId).toHex();
		this.ids = List.of(clientId, hex, hex.toLowerCase(Locale.ROOT));
		this.prefixes = this.ids.stream()
			.flatMap((id) -> List.of(CLIENTS + id + '/', CLIENTS_OF_STORE + id + '/').stream())
			.toList();
		this.notifications = Topics.RESERVED_PREFIX + '/' + hex + '/';
	}

	/**
	 * Returns whether a topic is one on which a library expects replies to the requests
	 * of a client.
	 * @param topic topic of a message
	 */
	static boolean isResponse(String topic) {
		return topic.startsWith(CLIENTS) && owner(topic) != null;
	}

	private static @Nullable String owner(String topic) {
		for (String response : RESPONSES) {
			if (topic.endsWith(response) && topic.length() > CLIENTS.length() + response.length()) {
				return topic.substring(CLIENTS.length(), topic.length() - response.length());
			}
		}
		if (topic.startsWith(CLIENTS_OF_STORE) && topic.endsWith(RESPONSE)
				&& topic.length() > CLIENTS_OF_STORE.length() + RESPONSE.length()) {
			return topic.substring(CLIENTS_OF_STORE.length(), topic.length() - RESPONSE.length());
		}
		return null;
	}

	/**
	 * Returns whether a topic belongs to this client.
	 * @param topic a topic
	 */
	boolean contain(String topic) {
		if (topic.startsWith(Topics.RESERVED_PREFIX)) {
			return topic.startsWith(this.notifications);
		}
		// The id of another client may begin with that of this client and a slash.
		String owner = topic.startsWith(CLIENTS) ? owner(topic) : null;
		return (owner != null) ? this.ids.contains(owner) : this.prefixes.stream().anyMatch(topic::startsWith);
	}

	/**
	 * Returns whether this client may always subscribe. Messages on topics of other
	 * clients that the filter matches, too, are checked at their delivery.
	 * @param filter a topic filter. Rules decide about shared ones, which receive no
	 * replies of the state store
	 */
	boolean containFilter(String filter) {
		if (filter.startsWith(this.notifications)) {
			return true;
		}
		if (!TopicFilter.hasWildcard(filter)) {
			return contain(filter);
		}
		return this.prefixes.stream()
			.anyMatch((prefix) -> !TopicFilter.hasWildcard(prefix) && filter.startsWith(prefix));
	}

}
