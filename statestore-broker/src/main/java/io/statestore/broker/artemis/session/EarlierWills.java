package io.statestore.broker.artemis.session;

import java.lang.reflect.Field;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import org.apache.activemq.artemis.core.persistence.OperationContext;
import org.apache.activemq.artemis.core.persistence.StorageManager;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTInterceptor;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSession;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTVersion;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;

/**
 * Ends the will of an earlier connection when its client connects again (MQTT 5 sections
 * 3.1.2.5 and 3.1.3.2.2). A will without delay is published, as is any will of a session
 * that ends. Another one is deleted. Also an interceptor of CONNACKs, which delays wills.
 * <p>
 * Artemis 2.43 publishes no will at a takeover, and deletes it with the session. If the
 * session continues, it publishes the will after the end of a later connection without a
 * will. It also publishes a will without delay only at the end of its session, unless the
 * session ends with the connection. Such a will gets a delay of one second.
 */
final class EarlierWills implements MQTTInterceptor {

	private static final Field CONNECTION_MANAGER = connectionManager();

	private final ActiveMQServer server;

	private final SessionStates sessions;

	/** Sessions whose clients have requested no delay. */
	private final Set<MQTTSessionState> undelayed = Collections
		.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

	EarlierWills(ActiveMQServer server, SessionStates sessions) {
		this.server = server;
		this.sessions = sessions;
	}

	private static Field connectionManager() {
		try {
			Field field = MQTTSession.class.getDeclaredField("mqttConnectionManager");
			field.setAccessible(true);
			return field;
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			throw new IllegalStateException("Not supported with this version of Artemis: " + MQTTSession.class, ex);
		}
	}

	/**
	 * Ends the will of an earlier connection. Called by the thread on which Artemis
	 * executes the CONNECT afterwards.
	 * @param connect the CONNECT, with the client id in Artemis
	 */
	void connecting(MqttConnectMessage connect) {
		MQTTSessionState state = this.sessions.find(connect.payload().clientIdentifier());
		MQTTSession earlier = (state != null) ? state.getSession() : null;
		if (state == null || earlier == null) {
			return;
		}
		// Artemis holds this lock while it ends the earlier connection, which may publish
		// the will, too.
		synchronized (connectionManager(earlier)) {
			end(state, earlier, connect.variableHeader().isCleanSession());
		}
	}

	private static Object connectionManager(MQTTSession session) {
		try {
			return CONNECTION_MANAGER.get(session);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("Failed to read the MQTT session of a connection", ex);
		}
	}

	private void end(MQTTSessionState state, MQTTSession earlier, boolean sessionEnds) {
		boolean due = this.undelayed.remove(state) || state.getWillDelayInterval() == 0 || sessionEnds;
		boolean withoutDisconnect = state.isAttached() || state.isFailed();
		if (state.isWill() && due && withoutDisconnect) {
			publish(earlier);
		}
		state.setWill(false);
		state.setWillDelayInterval(0);
	}

	/** Publishes a will that has not been published. */
	private void publish(MQTTSession earlier) {
		// The message sets the context of the earlier connection.
		StorageManager storage = this.server.getStorageManager();
		OperationContext context = storage.getContext();
		try {
			earlier.sendWillMessage();
		}
		finally {
			storage.setContext(context);
		}
	}

	@Override
	public boolean intercept(MqttMessage packet, RemotingConnection connection) {
		if (packet instanceof MqttConnAckMessage connack
				&& connack.variableHeader().connectReturnCode() == MqttConnectReturnCode.CONNECTION_ACCEPTED) {
			MQTTSessionState session = this.sessions.find(connection.getClientID());
			if (session != null) {
				delay(session);
			}
		}
		return true;
	}

	private void delay(MQTTSessionState state) {
		if (state.isWill() && state.getWillDelayInterval() == 0 && state.getClientSessionExpiryInterval() != 0
				&& state.getSession().getVersion() == MQTTVersion.MQTT_5) {
			this.undelayed.add(state);
			state.setWillDelayInterval(1);
		}
	}

}
