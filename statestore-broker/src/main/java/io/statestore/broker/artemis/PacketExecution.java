package io.statestore.broker.artemis;

import io.netty.channel.Channel;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.util.ReferenceCountUtil;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTProtocolHandler;
import org.apache.activemq.artemis.utils.actors.ActorListener;

/**
 * Lets Artemis execute the packets of one connection. If the connection ends before the
 * execution of its CONNECT, no packet is executed: its client id may have another owner.
 * Used by one thread at a time.
 */
final class PacketExecution implements ActorListener<MqttMessage> {

	private final Channel channel;

	private final MQTTProtocolHandler handler;

	/** Whether Artemis has executed the CONNECT. */
	private boolean connected;

	PacketExecution(Channel channel, MQTTProtocolHandler handler) {
		this.channel = channel;
		this.handler = handler;
	}

	@Override
	public void onMessage(MqttMessage packet) {
		if (this.connected) {
			this.handler.act(packet);
			return;
		}
		ClientIdClaim claim = this.channel.attr(ClientIdClaim.KEY).get();
		if (!(packet instanceof MqttConnectMessage) || claim == null || !claim.tryExecute()) {
			ReferenceCountUtil.release(packet);
			return;
		}
		this.connected = true;
		try {
			this.handler.act(packet);
		}
		finally {
			claim.executed();
		}
	}

}
