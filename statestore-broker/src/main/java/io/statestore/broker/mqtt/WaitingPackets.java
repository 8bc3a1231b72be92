package io.statestore.broker.mqtt;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;

import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.util.ReferenceCountUtil;

/**
 * Packets that have arrived while the CONNECT of their client waits for its login, its
 * client id, or its execution. Reading is suspended meanwhile, so that they are parts of
 * the piece of {@link ReadGate} that ended the CONNECT. Used on the event loop of the
 * connection only.
 */
final class WaitingPackets {

	private final Queue<MqttMessage> packets = new ArrayDeque<>();

	private boolean waiting;

	/** Returns whether the client waits, so that packets have to be added. */
	boolean isWaiting() {
		return this.waiting;
	}

	/** Lets the client wait. */
	void suspend() {
		this.waiting = true;
	}

	/** Adds a packet, whose reference is taken over. */
	void add(MqttMessage packet) {
		this.packets.add(packet);
	}

	/**
	 * Continues.
	 * @param first handles the CONNECT
	 * @param next handles each packet until the client has to wait again, and takes over
	 * its reference
	 */
	void resume(Runnable first, Consumer<MqttMessage> next) {
		this.waiting = false;
		first.run();
		while (!this.waiting && !this.packets.isEmpty()) {
			next.accept(this.packets.remove());
		}
	}

	/** Returns whether a DISCONNECT waits that removes the will. */
	boolean removesWill() {
		return this.packets.stream()
			.anyMatch((packet) -> packet.decoderResult().isSuccess()
					&& packet.fixedHeader().messageType() == MqttMessageType.DISCONNECT
					&& !(packet.variableHeader() instanceof MqttReasonCodeAndPropertiesVariableHeader header
							&& header.reasonCode() != 0));
	}

	/** Drops the packets. The client continues to wait. */
	void drop() {
		this.packets.forEach(ReferenceCountUtil::release);
		this.packets.clear();
	}

}
