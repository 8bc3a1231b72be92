package io.statestore.broker.mqtt;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

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
 * Removes filters that are not permitted from the SUBSCRIBE packets of a client, and adds
 * their refusals to the answers. Used on the event loop of the connection only.
 */
final class DeniedFilters {

	/** Reason code of MQTT before version 5. */
	private static final int FAILURE = 0x80;

	/** Reason codes of all filters, 0 for remaining ones, by packet identifier. */
	private final Map<Integer, List<Integer>> denied = new HashMap<>();

	/**
	 * Removes the filters that are not permitted.
	 * @param message a SUBSCRIBE
	 * @param refusal returns the reason code that refuses a filter, 0 if it is permitted
	 * @return the same packet, or a copy that may have no filters
	 */
	MqttSubscribeMessage remove(MqttSubscribeMessage message, ToIntFunction<String> refusal) {
		List<MqttTopicSubscription> requested = message.payload().topicSubscriptions();
		List<MqttTopicSubscription> remaining = new ArrayList<>(requested.size());
		List<Integer> refusals = new ArrayList<>(requested.size());
		for (MqttTopicSubscription subscription : requested) {
			int reasonCode = refusal.applyAsInt(subscription.topicFilter());
			refusals.add(reasonCode);
			if (reasonCode == 0) {
				remaining.add(subscription);
			}
		}
		if (remaining.size() == requested.size()) {
			return message;
		}
		this.denied.put(message.variableHeader().messageId(), refusals);
		return new MqttSubscribeMessage(message.fixedHeader(), message.idAndPropertiesVariableHeader(),
				new MqttSubscribePayload(remaining));
	}

	/**
	 * Returns the answer to a SUBSCRIBE without permitted filters.
	 * @param message the SUBSCRIBE
	 * @param mqtt5 whether the client uses MQTT 5
	 */
	MqttSubAckMessage refusal(MqttSubscribeMessage message, boolean mqtt5) {
		MqttFixedHeader header = new MqttFixedHeader(MqttMessageType.SUBACK, false, MqttQoS.AT_MOST_ONCE, false, 0);
		MqttSubAckMessage empty = new MqttSubAckMessage(header, new MqttMessageIdAndPropertiesVariableHeader(
				message.variableHeader().messageId(), MqttProperties.NO_PROPERTIES), new MqttSubAckPayload(List.of()));
		return complete(empty, mqtt5);
	}

	/**
	 * Adds the refusals of removed filters to an answer.
	 * @param suback the SUBACK for the remaining filters
	 * @param mqtt5 whether the client uses MQTT 5
	 */
	MqttSubAckMessage complete(MqttSubAckMessage suback, boolean mqtt5) {
		List<Integer> refusals = this.denied.remove(suback.variableHeader().messageId());
		if (refusals == null) {
			return suback;
		}
		Iterator<Integer> granted = suback.payload().reasonCodes().iterator();
		List<Integer> all = refusals.stream()
			.map((refusal) -> (refusal == 0) ? granted.next() : Integer.valueOf(mqtt5 ? refusal : FAILURE))
			.toList();
		return new MqttSubAckMessage(suback.fixedHeader(), suback.idAndPropertiesVariableHeader(),
				new MqttSubAckPayload(all));
	}

}
