package io.statestore.broker.artemis;

import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.statestore.broker.artemis.disk.DiskState;
import io.statestore.broker.packet.Packets;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTInterceptor;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnection;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;

/**
 * Interceptor that acknowledges no message after a failure of the journal, because it may
 * not be stored. Ends the connection instead, so that the client sends the message again.
 */
final class FailedWrites implements MQTTInterceptor {

	private final DiskState disk;

	FailedWrites(DiskState disk) {
		this.disk = disk;
	}

	@Override
	public boolean intercept(MqttMessage packet, RemotingConnection connection) {
		MqttMessageType type = packet.fixedHeader().messageType();
		boolean acknowledgment = type == MqttMessageType.PUBACK || type == MqttMessageType.PUBREC;
		if (!acknowledgment || Packets.isFailure(packet) || !this.disk.isPreviouslyFailed()) {
			return true;
		}
		if (connection.getTransportConnection() instanceof NettyConnection netty) {
			netty.getNettyChannel().close();
		}
		return false;
	}

}
