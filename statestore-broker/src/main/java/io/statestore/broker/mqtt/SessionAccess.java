package io.statestore.broker.mqtt;

import java.net.InetAddress;
import java.util.function.BooleanSupplier;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.util.AttributeKey;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.security.Permissions;
import io.statestore.broker.server.ClientLog;
import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * What the client of one connection may do with ordinary messages. Does not refer to the
 * connection. Thread-safe.
 */
final class SessionAccess {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(SessionAccess.class));

	private static final int NOT_AUTHORIZED = 0x87;

	private static final int TOPIC_FILTER_INVALID = 0x8F;

	/** Attribute of a connection: what its client may do. */
	static final AttributeKey<SessionAccess> ATTRIBUTE = AttributeKey.valueOf(SessionAccess.class, "access");

	private final Client client;

	private final Permissions permissions;

	private final TopicAccess topics;

	/** Topic of the will, {@code null} if there is none. */
	private final @Nullable String willTopic;

	/**
	 * Creates the access of a client.
	 * @param client the client
	 * @param connect its CONNECT
	 * @param permissions its permissions
	 * @param address its address, {@code null} if unknown
	 * @param audit receives denials
	 */
	SessionAccess(Client client, MqttConnectMessage connect, Permissions permissions, @Nullable InetAddress address,
			AuditLog audit) {
		this.client = client;
		this.permissions = permissions;
		this.topics = new TopicAccess(client, permissions, address, audit);
		this.willTopic = connect.variableHeader().isWillFlag() ? connect.payload().willTopic() : null;
	}

	ClientPrincipal principal() {
		return this.client.principal();
	}

	Permissions permissions() {
		return this.permissions;
	}

	TopicAccess topics() {
		return this.topics;
	}

	/** Returns whether the client may publish its will, or has none. */
	boolean mayPublishWill() {
		return this.willTopic == null || this.topics.mayPublishWill(this.willTopic);
	}

	/**
	 * Returns the condition under which the will is published.
	 * @return the condition, {@code null} for none
	 */
	@Nullable BooleanSupplier willCondition() {
		return (this.willTopic != null && this.permissions != Permissions.ALL) ? this::mayPublishWill : null;
	}

	/**
	 * Returns the reason code that refuses a subscription, 0 if it is permitted.
	 * @param filter its filter, which may be shared
	 */
	int refusal(String filter) {
		if (Topics.isFilterTooDeep(filter)) {
			clientLog.warn("Refused a subscription of client '{}': its filter has more than {} levels",
					this.client.clientId(), Topics.MAX_LEVELS);
			return TOPIC_FILTER_INVALID;
		}
		if (!this.topics.maySubscribe(filter)) {
			return NOT_AUTHORIZED;
		}
		return TopicFilters.isValid(filter) ? 0 : TOPIC_FILTER_INVALID;
	}

}
