package io.statestore.broker.artemis;

import io.netty.channel.Channel;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.artemis.session.ArtemisSessions;
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

	private final ArtemisSessions sessions;

	/** Whether Artemis has executed the CONNECT. */
	private boolean connected;

	PacketExecution(Channel channel, MQTTProtocolHandler handler, ArtemisSessions sessions) {
		this.channel = channel;
		this.handler = handler;
		this.sessions = sessions;
	}

	@Override
	public void onMessage(MqttMessage packet) {
		if (this.connected) {
			this.handler.act(packet);
			return;
		}
		ClientIdClaim claim = this.channel.attr(ClientIdClaim.KEY).get();
		if (!(packet instanceof MqttConnectMessage connect) || claim == null || !claim.tryExecute()) {
			ReferenceCountUtil.release(packet);
			return;
		}
		this.connected = true;
		try {
			this.sessions.connecting(connect);
			this.handler.act(connect);
		}
		finally {
			claim.executed();
		}
	}

}
