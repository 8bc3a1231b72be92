package io.statestore.broker.artemis.session;

import java.util.Iterator;
import java.util.List;
import java.util.Set;

import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessageIdAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttSubAckPayload;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttSubscribePayload;
import io.netty.handler.codec.mqtt.MqttTopicSubscription;

/**
 * A SUBSCRIBE that Artemis has not answered yet. Artemis receives the accepted
 * subscriptions only.
 *
 * @param accepted the accepted subscriptions, with the filters that Artemis receives
 * @param refusals reason code of the refusal of each requested subscription, or
 * {@link #ACCEPTED}
 * @param added filters for which memory was reserved
 */
record PendingSubscribe(List<MqttTopicSubscription> accepted, List<Integer> refusals, Set<String> added) {

	/** Takes the place of a reason code of an accepted subscription. */
	static final int ACCEPTED = 0;

	/** Returns the filters of the accepted subscriptions. */
	List<String> filters() {
		return this.accepted.stream().map(MqttTopicSubscription::topicFilter).toList();
	}

	/** Returns whether at least one subscription is refused. */
	boolean isReduced() {
		return this.accepted.size() < this.refusals.size();
	}

	/** Returns the packet that Artemis receives. */
	MqttSubscribeMessage internal(MqttSubscribeMessage request) {
		return new MqttSubscribeMessage(request.fixedHeader(), request.idAndPropertiesVariableHeader(),
				new MqttSubscribePayload(this.accepted));
	}

	/**
	 * Returns the answer to all subscriptions of the packet.
	 * @param packetId packet identifier
	 * @param reasons reason codes of the accepted subscriptions
	 */
	MqttSubAckMessage answer(int packetId, List<Integer> reasons) {
		Iterator<Integer> granted = reasons.iterator();
		int[] all = this.refusals.stream()
			.mapToInt((refusal) -> (refusal == ACCEPTED) ? granted.next() : refusal)
			.toArray();
		return new MqttSubAckMessage(new MqttFixedHeader(MqttMessageType.SUBACK, false, MqttQoS.AT_MOST_ONCE, false, 0),
				new MqttMessageIdAndPropertiesVariableHeader(packetId, MqttProperties.NO_PROPERTIES),
				new MqttSubAckPayload(all));
	}

}
