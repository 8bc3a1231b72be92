package io.statestore.broker.mqtt;

import java.util.List;
import java.util.Locale;

import io.statestore.protocol.TopicFilter;
import io.statestore.protocol.Administration;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;

/**
 * The topics on which one client receives state store replies and notifications.
 * Libraries include the client id in response topics either unchanged or in hexadecimal.
 */
final class OwnTopics {

	/** Beginning of all libraries' response topics. */
	static final String CLIENTS = "clients/";

	/**
	 * Suffixes that follow the client id in libraries' response topics. A suffix that
	 * ends with another suffix precedes it.
	 */
	private static final List<String> RESPONSES = List.of("/services/statestore/_any_/command/invoke/response",
			"/services/" + Topics.REQUEST + "/response", '/' + Topics.REQUEST + "/response", '/' + Topics.REQUEST,
			Administration.responseTopic("").substring(CLIENTS.length()));

	/** Beginning of response topics in which the store's name precedes the client id. */
	private static final String CLIENTS_OF_STORE = CLIENTS + "statestore/";

	/** Suffix that follows the client id in these topics. */
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
	 * Returns whether libraries expect replies to a client's requests on a topic.
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
	 * @param topic any topic
	 */
	boolean contain(String topic) {
		if (topic.startsWith(Topics.RESERVED_PREFIX)) {
			return topic.startsWith(this.notifications);
		}
		// Another client's id may begin with this client's id and a slash.
		String owner = topic.startsWith(CLIENTS) ? owner(topic) : null;
		return (owner != null) ? this.ids.contains(owner) : this.prefixes.stream().anyMatch(topic::startsWith);
	}

	/**
	 * Returns whether this client may always subscribe to a filter. If the filter also
	 * matches other clients' topics, messages on these topics are checked on delivery.
	 * @param filter a topic filter. Shared subscriptions are subject to the rules,
	 * because they do not receive state store replies
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
