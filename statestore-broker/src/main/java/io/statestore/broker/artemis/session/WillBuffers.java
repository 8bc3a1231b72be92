package io.statestore.broker.artemis.session;

import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTInterceptor;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;

/**
 * Interceptor that moves wills to the heap. Artemis 2.43 copies each will into a pooled
 * direct buffer, which it never releases. The CONNACK is the first packet after that
 * copy, and the session cannot end while it is being sent.
 */
final class WillBuffers implements MQTTInterceptor {

	private final SessionStates sessions;

	WillBuffers(SessionStates sessions) {
		this.sessions = sessions;
	}

	@Override
	public boolean intercept(MqttMessage packet, RemotingConnection connection) {
		if (packet instanceof MqttConnAckMessage connack
				&& connack.variableHeader().connectReturnCode() == MqttConnectReturnCode.CONNECTION_ACCEPTED) {
			this.sessions.moveWillToHeap(connection.getClientID());
		}
		return true;
	}

}
