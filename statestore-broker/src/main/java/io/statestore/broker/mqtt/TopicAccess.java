package io.statestore.broker.mqtt;

import java.net.InetAddress;

import io.statestore.broker.security.AuditEvent;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.Permissions;
import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;

/**
 * Permissions of one client on topics. Logs denials. The topics on which libraries expect
 * replies are protected even without an authorizer. Thread-safe.
 */
final class TopicAccess {

	private static final String SHARED = "$share/";

	private final Client client;

	private final Permissions permissions;

	private final @Nullable InetAddress address;

	private final AuditLog audit;

	private final OwnTopics own;

	/** The latest response topic of this client that was its own. */
	private volatile String ownResponseTopic = "";

	/**
	 * Creates the access of a client.
	 * @param client the client
	 * @param permissions its permissions
	 * @param address its address, {@code null} if unknown
	 * @param audit receives denials
	 */
	TopicAccess(Client client, Permissions permissions, @Nullable InetAddress address, AuditLog audit) {
		this.client = client;
		this.permissions = permissions;
		this.address = address;
		this.audit = audit;
		this.own = new OwnTopics(client.clientId());
	}

	/** Returns whether the client may publish an ordinary message. */
	boolean mayPublish(String topic) {
		return mayPublish(topic, "publish");
	}

	/** Returns whether the broker may publish the will of the client. */
	boolean mayPublishWill(String topic) {
		return mayPublish(topic, "will");
	}

	private boolean mayPublish(String topic, String action) {
		if (OwnTopics.isResponse(topic)) {
			return denied(action, topic, "only the state store publishes on response topics");
		}
		return this.permissions == Permissions.ALL || this.permissions.mayPublish(topic) || denied(action, topic, null);
	}

	/**
	 * Returns whether the client may subscribe.
	 * @param filter the filter of a subscription, which may be shared
	 */
	boolean maySubscribe(String filter) {
		if (this.permissions == Permissions.ALL) {
			return true;
		}
		return this.own.containFilter(filter) || this.permissions.maySubscribe(withoutShare(filter))
				|| denied("subscribe", filter, null);
	}

	static String withoutShare(String filter) {
		int end = filter.startsWith(SHARED) ? filter.indexOf('/', SHARED.length()) : -1;
		return (end < 0) ? filter : filter.substring(end + 1);
	}

	/**
	 * Returns whether the client may receive an ordinary message. Its own topics need a
	 * permission, too: replies and notifications of the store are not ordinary messages,
	 * and every client may choose its id.
	 */
	boolean mayReceive(String topic) {
		return this.permissions == Permissions.ALL || this.permissions.maySubscribe(topic)
				|| denied("receive", topic, null);
	}

	/**
	 * Returns whether the client may have replies sent to a topic. Unless the topic is
	 * its own, the client receives a message and has one published, so that it needs the
	 * permission for both. A topic that no client may use is for the state store to
	 * refuse.
	 * @param topic the response topic of a request, {@code null} if it has none
	 */
	boolean mayReplyTo(@Nullable String topic) {
		if (topic == null || topic.equals(this.ownResponseTopic) || !Topics.isResponseTopicAllowed(topic)) {
			return true;
		}
		if (topic.startsWith(OwnTopics.CLIENTS)) {
			if (this.own.contain(topic)) {
				this.ownResponseTopic = topic;
				return true;
			}
			return denied("respond", topic, "the response topic belongs to another client");
		}
		return this.permissions == Permissions.ALL
				|| this.permissions.maySubscribe(topic) && this.permissions.mayPublish(topic)
				|| denied("respond", topic, null);
	}

	/** Logs a denial and returns {@code false}. */
	private boolean denied(String action, String topic, @Nullable String reason) {
		this.audit.line(AuditEvent.DENIED, this.client.principal())
			.text("client", this.client.clientId())
			.address(this.address)
			.word("action", action)
			.text("topic", topic)
			.text("reason", reason)
			.log();
		return false;
	}

}
