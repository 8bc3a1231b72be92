package io.statestore.broker.mqtt;

import java.net.InetAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.Permissions;
import io.statestore.broker.server.ClientLog;
import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Applies the permissions of a client to the packets of one connection. Used on the event
 * loop of the connection only.
 */
final class SessionAccess {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(SessionAccess.class));

	private static final int NOT_AUTHORIZED = 0x87;

	private static final int TOPIC_FILTER_INVALID = 0x8F;

	private final ChannelHandlerContext context;

	private final Client client;

	private final Permissions permissions;

	private final TopicAccess topics;

	private final boolean mqtt5;

	/** Topic of the will, {@code null} if there is none. */
	private final @Nullable String willTopic;

	private final DeniedFilters filters = new DeniedFilters();

	private final DeniedDeliveries deliveries;

	/** Identifiers of messages whose PUBCOMP the client does not expect. */
	private final Set<Integer> forgotten = new HashSet<>();

	/**
	 * Creates the access of a client.
	 * @param context context of the handler of the connection
	 * @param client the client
	 * @param connect its CONNECT
	 * @param permissions its permissions
	 * @param address its address, {@code null} if unknown
	 * @param audit receives denials
	 */
	SessionAccess(ChannelHandlerContext context, Client client, MqttConnectMessage connect, Permissions permissions,
			@Nullable InetAddress address, AuditLog audit) {
		this.context = context;
		this.client = client;
		this.permissions = permissions;
		this.topics = new TopicAccess(client, permissions, address, audit);
		this.mqtt5 = connect.variableHeader().version() == Packets.MQTT_5;
		this.willTopic = connect.variableHeader().isWillFlag() ? connect.payload().willTopic() : null;
		this.deliveries = new DeniedDeliveries(context);
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
	 * Returns the condition under which the will is published, which any thread may call.
	 * It does not refer to the connection.
	 * @return the condition, {@code null} for none
	 */
	@Nullable BooleanSupplier willCondition() {
		TopicAccess topics = this.topics;
		String topic = this.willTopic;
		return (topic != null && this.permissions != Permissions.ALL) ? () -> topics.mayPublishWill(topic) : null;
	}

	/**
	 * Removes filters that are not permitted, or too deep, from a SUBSCRIBE. If none is
	 * left, sends the answer.
	 * @param requested the SUBSCRIBE
	 * @return the SUBSCRIBE for Artemis, {@code null} if there is none
	 */
	@Nullable MqttSubscribeMessage subscribing(MqttSubscribeMessage requested) {
		MqttSubscribeMessage permitted = this.filters.remove(requested, this::refusal);
		if (permitted != requested && permitted.payload().topicSubscriptions().isEmpty()) {
			this.context.write(this.filters.refusal(requested, this.mqtt5));
			return null;
		}
		return permitted;
	}

	private int refusal(String filter) {
		if (Topics.isFilterTooDeep(filter)) {
			clientLog.warn("Refused a subscription of client '{}': its filter has more than {} levels",
					this.client.clientId(), Topics.MAX_LEVELS);
			return TOPIC_FILTER_INVALID;
		}
		return this.topics.maySubscribe(filter) ? 0 : NOT_AUTHORIZED;
	}

	/** Returns the answer to a SUBSCRIBE, with the refusals of denied filters. */
	MqttSubAckMessage subscribed(MqttSubAckMessage suback) {
		return this.filters.complete(suback, this.mqtt5);
	}

	/**
	 * Discards an ordinary message to the client if it may not receive it.
	 * @param publish the message, whose reference is taken over if it is discarded
	 * @param promise notified if it is discarded
	 * @return whether it is discarded
	 */
	boolean discards(MqttPublishMessage publish, ChannelPromise promise) {
		if (this.permissions == Permissions.ALL || this.topics.mayReceive(publish.variableHeader().topicName())) {
			return false;
		}
		this.deliveries.discard(publish, promise);
		return true;
	}

	/**
	 * Ends the exchange of a repeated message with QoS 2 that is denied now. Artemis may
	 * have received it while it was permitted, and would otherwise ignore a later message
	 * with its identifier.
	 * @param packetId packet identifier
	 */
	void forget(int packetId) {
		this.forgotten.add(packetId);
		this.context.fireChannelRead(
				new MqttMessage(new MqttFixedHeader(MqttMessageType.PUBREL, false, MqttQoS.AT_LEAST_ONCE, false, 2),
						MqttMessageIdVariableHeader.from(packetId)));
	}

	/**
	 * Handles a PUBCOMP of Artemis.
	 * @param packetId packet identifier
	 * @return whether it is for a forgotten message, and not to be written
	 */
	boolean isForgotten(int packetId) {
		return this.forgotten.remove(packetId);
	}

	/**
	 * Handles a PUBREL of Artemis.
	 * @param packetId packet identifier
	 * @param promise notified if it is not to be written
	 * @return whether it is for a discarded message
	 */
	boolean releases(int packetId, ChannelPromise promise) {
		return this.deliveries.release(packetId, promise);
	}

}
