package io.statestore.broker.artemis.session;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTInterceptor;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSession;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTVersion;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;

/**
 * Interceptor of CONNECT and CONNACK that ends the will of an earlier connection when its
 * client connects again (MQTT 5 sections 3.1.2.5 and 3.1.3.2.2). A will without delay is
 * published, as is any will of a session that ends. Another one is deleted.
 * <p>
 * Artemis 2.43 publishes no will at a takeover, and deletes it with the session. If the
 * session continues, it publishes the will after the end of a later connection without a
 * will. It also publishes a will without delay only at the end of its session, unless the
 * session ends with the connection. Such a will gets a delay of one second.
 */
final class EarlierWills implements MQTTInterceptor {

	private final SessionStates sessions;

	/** Sessions whose clients have requested no delay. */
	private final Set<MQTTSessionState> undelayed = Collections
		.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

	EarlierWills(SessionStates sessions) {
		this.sessions = sessions;
	}

	@Override
	public boolean intercept(MqttMessage packet, RemotingConnection connection) {
		if (packet instanceof MqttConnectMessage connect) {
			MQTTSessionState session = this.sessions.find(connect.payload().clientIdentifier());
			if (session != null) {
				end(session, connect.variableHeader().isCleanSession());
			}
		}
		else if (packet instanceof MqttConnAckMessage connack
				&& connack.variableHeader().connectReturnCode() == MqttConnectReturnCode.CONNECTION_ACCEPTED) {
			MQTTSessionState session = this.sessions.find(connection.getClientID());
			if (session != null) {
				delay(session);
			}
		}
		return true;
	}

	private void end(MQTTSessionState state, boolean sessionEnds) {
		boolean due = this.undelayed.remove(state) || state.getWillDelayInterval() == 0 || sessionEnds;
		boolean withoutDisconnect = state.isAttached() || state.isFailed();
		MQTTSession session = state.getSession();
		if (session != null && state.isWill() && due && withoutDisconnect) {
			// Has no effect on a will that has been published.
			session.sendWillMessage();
		}
		state.setWill(false);
		state.setWillDelayInterval(0);
	}

	private void delay(MQTTSessionState state) {
		if (state.isWill() && state.getWillDelayInterval() == 0 && state.getClientSessionExpiryInterval() != 0
				&& state.getSession().getVersion() == MQTTVersion.MQTT_5) {
			this.undelayed.add(state);
			state.setWillDelayInterval(1);
		}
	}

}
