package io.statestore.broker.mqtt;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

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

	private static final int NOT_AUTHORIZED = 0x87;

	/** Reason code of MQTT before version 5. */
	private static final int FAILURE = 0x80;

	/** Positions of removed filters, by packet identifier. */
	private final Map<Integer, BitSet> denied = new HashMap<>();

	/**
	 * Removes the filters that are not permitted.
	 * @param message a SUBSCRIBE
	 * @param permitted returns whether a filter is permitted
	 * @return the same packet, or a copy that may have no filters
	 */
	MqttSubscribeMessage remove(MqttSubscribeMessage message, Predicate<String> permitted) {
		List<MqttTopicSubscription> requested = message.payload().topicSubscriptions();
		List<MqttTopicSubscription> remaining = new ArrayList<>(requested.size());
		BitSet removed = new BitSet();
		for (int i = 0; i < requested.size(); i++) {
			if (permitted.test(requested.get(i).topicFilter())) {
				remaining.add(requested.get(i));
			}
			else {
				removed.set(i);
			}
		}
		if (removed.isEmpty()) {
			return message;
		}
		this.denied.put(message.variableHeader().messageId(), removed);
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
		BitSet removed = this.denied.remove(suback.variableHeader().messageId());
		if (removed == null) {
			return suback;
		}
		List<Integer> granted = suback.payload().reasonCodes();
		List<Integer> all = new ArrayList<>();
		int next = 0;
		while (all.size() < granted.size() + removed.cardinality()) {
			boolean refused = removed.get(all.size());
			all.add(refused ? (mqtt5 ? NOT_AUTHORIZED : FAILURE) : granted.get(next++));
		}
		return new MqttSubAckMessage(suback.fixedHeader(), suback.idAndPropertiesVariableHeader(),
				new MqttSubAckPayload(all));
	}

}
