package io.statestore.broker.mqtt;

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
 * A SUBSCRIBE that is not answered yet. Artemis gets the accepted subscriptions only.
 *
 * @param accepted the accepted subscriptions
 * @param acceptances for each requested subscription, whether it is accepted
 * @param added filters for which memory was reserved
 */
record PendingSubscribe(List<MqttTopicSubscription> accepted, List<Boolean> acceptances, Set<String> added) {

	/** Returns the filters of the accepted subscriptions. */
	List<String> filters() {
		return this.accepted.stream().map(MqttTopicSubscription::topicFilter).toList();
	}

	boolean isReduced() {
		return this.accepted.size() < this.acceptances.size();
	}

	/** Returns the request without the subscriptions that are not accepted. */
	MqttSubscribeMessage reduced(MqttSubscribeMessage request) {
		return new MqttSubscribeMessage(request.fixedHeader(), request.idAndPropertiesVariableHeader(),
				new MqttSubscribePayload(this.accepted));
	}

	/**
	 * Returns the answer to the whole request.
	 * @param packetId of the request
	 * @param reasons reason codes of the accepted subscriptions
	 * @param refusal reason code of the other ones
	 */
	MqttSubAckMessage answer(int packetId, List<Integer> reasons, int refusal) {
		Iterator<Integer> granted = reasons.iterator();
		int[] all = this.acceptances.stream().mapToInt((acceptance) -> acceptance ? granted.next() : refusal).toArray();
		return new MqttSubAckMessage(new MqttFixedHeader(MqttMessageType.SUBACK, false, MqttQoS.AT_MOST_ONCE, false, 0),
				new MqttMessageIdAndPropertiesVariableHeader(packetId, MqttProperties.NO_PROPERTIES),
				new MqttSubAckPayload(all));
	}

}
