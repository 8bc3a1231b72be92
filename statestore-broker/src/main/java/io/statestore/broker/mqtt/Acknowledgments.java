package io.statestore.broker.mqtt;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;

import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.ReasonCodes;

/**
 * Acknowledgments of the messages of one connection, in the order of the messages (MQTT 5
 * section 4.6). Used on the event loop of the connection only.
 */
final class Acknowledgments {

	private final Consumer<MqttMessage> sender;

	/** Messages without an acknowledgment, in the order of their arrival. */
	private final Queue<Received> waiting = new ArrayDeque<>();

	private final int version;

	private boolean closed;

	/**
	 * Creates an object without messages.
	 * @param version protocol level of the client
	 * @param sender sends a PUBACK or PUBREC to the client
	 */
	Acknowledgments(int version, Consumer<MqttMessage> sender) {
		this.version = version;
		this.sender = sender;
	}

	/** Returns the number of messages without an acknowledgment. */
	int size() {
		return this.waiting.size();
	}

	/** Adds a message behind all others. Does not keep a reference to it. */
	Received add(MqttPublishMessage publish) {
		Received message = new Received(publish);
		this.waiting.add(message);
		return message;
	}

	/** Acknowledges a message as soon as all earlier ones are acknowledged. */
	void acknowledge(Received message, int reasonCode) {
		message.reasonCode = reasonCode;
		for (Received first = this.waiting.peek(); first != null
				&& first.reasonCode != Received.UNANSWERED; first = this.waiting.peek()) {
			this.waiting.remove();
			send(first);
		}
	}

	private void send(Received message) {
		if (this.closed || message.qos == 0) {
			return;
		}
		// A successful PUBREC would promise the rest of the exchange of QoS 2.
		boolean promised = message.qos == 2 && !ReasonCodes.isFailure(message.reasonCode)
				&& this.version == Packets.MQTT_5;
		this.sender.accept(Packets.acknowledgment(this.version, message.qos, message.packetId,
				promised ? ReasonCodes.QOS_NOT_SUPPORTED : message.reasonCode));
	}

	/** Sends nothing from now on. */
	void close() {
		this.closed = true;
		this.waiting.clear();
	}

	/** A message from its arrival to its acknowledgment. */
	static final class Received {

		private static final int UNANSWERED = -1;

		private final int qos;

		private final int packetId;

		private final int size;

		private int reasonCode = UNANSWERED;

		private Received(MqttPublishMessage publish) {
			this.qos = publish.fixedHeader().qosLevel().value();
			this.packetId = publish.variableHeader().packetId();
			this.size = publish.fixedHeader().remainingLength();
		}

		/** Returns the size in bytes, with the properties. */
		int size() {
			return this.size;
		}

	}

}
