package io.statestore.broker.mqtt;

import java.net.InetAddress;
import java.util.function.BooleanSupplier;

import io.statestore.protocol.TopicFilter;
import io.statestore.broker.security.AuditEvent;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.Permissions;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * One client's permissions on topics. Logs denials. The topics on which libraries expect
 * replies are protected even without an authorizer. Thread-safe.
 */
final class TopicAccess {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(TopicAccess.class));

	/**
	 * Maximum length of a shared subscription's name, which is part of each message that
	 * the log keeps for it.
	 */
	private static final int MAX_GROUP_LENGTH = 256;

	private static final int MAX_SHARE_LENGTH = TopicFilter.SHARED.length() + MAX_GROUP_LENGTH + 1;

	private final Client client;

	private final Permissions permissions;

	private final @Nullable InetAddress address;

	private final AuditLog audit;

	private final OwnTopics own;

	/**
	 * Latest response topic that belongs to this client, cached because most requests
	 * repeat it.
	 */
	private volatile String ownResponseTopic = "";

	/**
	 * Creates a client's access.
	 * @param client the client whose access is checked
	 * @param permissions the client's permissions
	 * @param address the client's address, {@code null} if unknown
	 * @param audit receives denials
	 */
	TopicAccess(Client client, Permissions permissions, @Nullable InetAddress address, AuditLog audit) {
		this.client = client;
		this.permissions = permissions;
		this.address = address;
		this.audit = audit;
		this.own = new OwnTopics(client.clientId());
	}

	Client client() {
		return this.client;
	}

	Permissions permissions() {
		return this.permissions;
	}

	/** Returns whether the client may publish an ordinary message. */
	boolean mayPublish(String topic) {
		return mayPublish(topic, "publish");
	}

	/** Returns whether the broker may publish the client's will. */
	boolean mayPublishWill(String topic) {
		return mayPublish(topic, "will");
	}

	/**
	 * Returns the condition under which the will may be published. The condition does not
	 * hold a reference to the connection.
	 * @param topic topic of the will, {@code null} if there is no will
	 * @return the condition, {@code null} if none is necessary
	 */
	@Nullable BooleanSupplier willCondition(@Nullable String topic) {
		return (topic != null && this.permissions != Permissions.ALL) ? () -> mayPublishWill(topic) : null;
	}

	private boolean mayPublish(String topic, String action) {
		if (OwnTopics.isResponse(topic)) {
			return denied(action, topic, "only the state store publishes on response topics");
		}
		return this.permissions == Permissions.ALL || this.permissions.mayPublish(topic) || denied(action, topic, null);
	}

	private boolean maySubscribe(String filter) {
		if (this.permissions == Permissions.ALL) {
			return true;
		}
		return this.own.containFilter(filter) || this.permissions.maySubscribe(TopicFilter.withoutShare(filter))
				|| denied("subscribe", filter, null);
	}

	/**
	 * Returns the reason code with which to refuse a subscription, 0 if it is permitted.
	 * @param filter the topic filter, which may be shared
	 */
	int refusal(String filter) {
		if (Topics.isFilterTooDeep(filter)) {
			clientLog.warn("Refused a subscription of client '{}': its filter has more than {} levels",
					this.client.clientId(), Topics.MAX_LEVELS);
			return ReasonCodes.TOPIC_FILTER_INVALID;
		}
		if (filter.length() - TopicFilter.withoutShare(filter).length() > MAX_SHARE_LENGTH) {
			clientLog.warn("Refused a subscription of client '{}': the name of its group has more than {} characters",
					this.client.clientId(), MAX_GROUP_LENGTH);
			return ReasonCodes.TOPIC_FILTER_INVALID;
		}
		if (!maySubscribe(filter)) {
			return ReasonCodes.NOT_AUTHORIZED;
		}
		return TopicFilter.isValid(filter) ? 0 : ReasonCodes.TOPIC_FILTER_INVALID;
	}

	/**
	 * Returns whether the client may receive an ordinary message. This requires
	 * permission even on the client's own topics: state store replies and notifications
	 * are not ordinary messages, and every client may choose its id.
	 */
	boolean mayReceive(String topic) {
		return this.permissions == Permissions.ALL || this.permissions.maySubscribe(topic)
				|| denied("receive", topic, null);
	}

	/**
	 * Returns whether the client may have replies sent to a topic. Unless the topic is
	 * its own, replies are published for the client, which also receives them, so it
	 * needs permission for both. Topics that no client may use are refused by the state
	 * store.
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
