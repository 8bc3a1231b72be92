package io.statestore.broker.mqtt;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttPubAckMessage;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;

/**
 * Messages of Artemis that a client may no longer receive. Acknowledges them to Artemis
 * in place of the client, so that they take neither memory nor packet identifiers. Used
 * on the event loop of the connection only.
 */
final class DeniedDeliveries {

	private final ChannelHandlerContext context;

	/** Packets for Artemis. */
	private final Queue<MqttMessage> answers = new ArrayDeque<>();

	/** Identifiers of messages with QoS 2 that are not completed. */
	private final Set<Integer> received = new HashSet<>();

	/**
	 * Creates an empty object.
	 * @param context context of the handler of the connection
	 */
	DeniedDeliveries(ChannelHandlerContext context) {
		this.context = context;
	}

	/**
	 * Discards a message.
	 * @param publish the message, whose reference is taken over
	 * @param promise notified as if the message were written
	 */
	void discard(MqttPublishMessage publish, ChannelPromise promise) {
		MqttQoS qos = publish.fixedHeader().qosLevel();
		int packetId = publish.variableHeader().packetId();
		publish.release();
		succeed(promise);
		if (qos == MqttQoS.AT_LEAST_ONCE) {
			answer(MqttMessageType.PUBACK, packetId);
		}
		else if (qos == MqttQoS.EXACTLY_ONCE) {
			this.received.add(packetId);
			answer(MqttMessageType.PUBREC, packetId);
		}
	}

	/**
	 * Handles a PUBREL of Artemis.
	 * @param packetId packet identifier
	 * @param promise notified if it is not to be written
	 * @return whether it is for a discarded message
	 */
	boolean release(int packetId, ChannelPromise promise) {
		if (!this.received.remove(packetId)) {
			return false;
		}
		succeed(promise);
		answer(MqttMessageType.PUBCOMP, packetId);
		return true;
	}

	private static void succeed(ChannelPromise promise) {
		if (!promise.isVoid()) {
			promise.trySuccess();
		}
	}

	/** Answers later, because Artemis is still sending the packet. */
	private void answer(MqttMessageType type, int packetId) {
		if (this.answers.isEmpty()) {
			this.context.executor().execute(this::sendAnswers);
		}
		MqttFixedHeader header = new MqttFixedHeader(type, false, MqttQoS.AT_MOST_ONCE, false, 2);
		MqttMessageIdVariableHeader id = MqttMessageIdVariableHeader.from(packetId);
		this.answers
			.add((type == MqttMessageType.PUBACK) ? new MqttPubAckMessage(header, id) : new MqttMessage(header, id));
	}

	private void sendAnswers() {
		for (int i = this.answers.size(); i > 0; i--) {
			this.context.fireChannelRead(this.answers.element());
			// Removed last, so that no further task is scheduled meanwhile.
			this.answers.remove();
		}
		if (!this.answers.isEmpty()) {
			this.context.executor().execute(this::sendAnswers);
		}
		this.context.fireChannelReadComplete();
	}

}
