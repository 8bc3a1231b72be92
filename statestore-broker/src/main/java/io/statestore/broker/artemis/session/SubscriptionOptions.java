package io.statestore.broker.artemis.session;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttTopicSubscription;
import io.netty.util.AttributeKey;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTInterceptor;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnection;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;

/**
 * Interceptor that keeps the options of repeated subscriptions. Artemis 2.43 applies a
 * lower QoS or another No Local option to the current connection only, and restores the
 * former options on the next one. To be added for incoming and for outgoing packets.
 */
final class SubscriptionOptions implements MQTTInterceptor {

	/** Attribute of a channel: subscriptions without a SUBACK, by packet identifier. */
	private static final AttributeKey<Map<Integer, List<MqttTopicSubscription>>> PENDING = AttributeKey
		.valueOf(SubscriptionOptions.class, "pending");

	private final SessionStates sessions;

	SubscriptionOptions(SessionStates sessions) {
		this.sessions = sessions;
	}

	@Override
	public boolean intercept(MqttMessage packet, RemotingConnection connection) {
		if (packet instanceof MqttSubscribeMessage subscribe) {
			pending(connection).put(subscribe.variableHeader().messageId(), subscribe.payload().topicSubscriptions());
		}
		else if (packet instanceof MqttSubAckMessage suback) {
			List<MqttTopicSubscription> requested = pending(connection).remove(suback.variableHeader().messageId());
			String clientId = connection.getClientID();
			if (requested != null && this.sessions.isConnected(clientId, connection)) {
				granted(clientId, requested, suback.payload().reasonCodes());
			}
		}
		return true;
	}

	private static Map<Integer, List<MqttTopicSubscription>> pending(RemotingConnection connection) {
		if (!(connection.getTransportConnection() instanceof NettyConnection netty)) {
			throw new IllegalStateException("Not a network connection: " + connection);
		}
		netty.getNettyChannel().attr(PENDING).setIfAbsent(new ConcurrentHashMap<>());
		return netty.getNettyChannel().attr(PENDING).get();
	}

	private void granted(String clientId, List<MqttTopicSubscription> requested, List<Integer> reasons) {
		for (int i = 0; i < requested.size() && i < reasons.size(); i++) {
			if (!SubscriptionGuard.isFailure(reasons.get(i))) {
				this.sessions.setOptions(clientId, requested.get(i));
			}
		}
	}

}
