package io.statestore.broker.artemis.session;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttMessage;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTInterceptor;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;

/**
 * Interceptor that deletes the will of an earlier connection when its client continues
 * the session (MQTT 5 section 3.1.3.2.2). Artemis 2.43 would publish it after the end of
 * a later connection without a will, and without a check of its permission.
 */
final class EarlierWills implements MQTTInterceptor {

	private final SessionStates sessions;

	EarlierWills(SessionStates sessions) {
		this.sessions = sessions;
	}

	@Override
	public boolean intercept(MqttMessage packet, RemotingConnection connection) {
		if (packet instanceof MqttConnectMessage connect && !connect.variableHeader().isCleanSession()) {
			MQTTSessionState session = this.sessions.find(connect.payload().clientIdentifier());
			// At a takeover, Artemis publishes a will without delay.
			if (session != null && (!session.isAttached() || session.getWillDelayInterval() > 0)) {
				session.setWill(false);
				session.setWillDelayInterval(0);
			}
		}
		return true;
	}

}
