package io.statestore.broker.artemis.session;

import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.BooleanSupplier;

import io.netty.channel.Channel;
import org.apache.activemq.artemis.api.core.ActiveMQSecurityException;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState.WillStatus;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnection;
import org.apache.activemq.artemis.core.server.ServerSession;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerMessagePlugin;
import org.apache.activemq.artemis.core.transaction.Transaction;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;
import org.jspecify.annotations.Nullable;

/**
 * Plugin that suppresses wills whose clients have lost the permission to publish them. A
 * will may be published long after the end of the connection. Thread-safe.
 */
final class WillGuard implements ActiveMQServerMessagePlugin {

	private final SessionStates states;

	/** Conditions for wills, by connection. Sessions hold their latest connection. */
	private final Map<Channel, BooleanSupplier> conditions = Collections.synchronizedMap(new WeakHashMap<>());

	WillGuard(SessionStates states) {
		this.states = states;
	}

	/**
	 * Sets the condition under which the will of a client is published.
	 * @param connection the connection of the client
	 * @param condition the condition, {@code null} for none. Must not refer to the
	 * connection
	 */
	void guard(Channel connection, @Nullable BooleanSupplier condition) {
		if (condition != null) {
			this.conditions.put(connection, condition);
		}
	}

	@Override
	public void beforeSend(ServerSession session, Transaction transaction, Message message, boolean direct,
			boolean noAutoCreateQueue) throws ActiveMQSecurityException {
		RemotingConnection connection = session.getRemotingConnection();
		BooleanSupplier condition = this.conditions.isEmpty() ? null : condition(connection);
		if (condition == null) {
			return;
		}
		String clientId = connection.getClientID();
		MQTTSessionState state = (clientId != null) ? this.states.find(clientId) : null;
		// Artemis removes an expired session before it publishes the will.
		boolean will = state == null || state.getWillStatus() == WillStatus.SENDING;
		if (will && !condition.getAsBoolean()) {
			if (state != null) {
				// Artemis would try again later.
				state.setWill(false);
			}
			throw new ActiveMQSecurityException("The client may not publish its will");
		}
	}

	private @Nullable BooleanSupplier condition(RemotingConnection connection) {
		return (connection.getTransportConnection() instanceof NettyConnection netty)
				? this.conditions.get(netty.getChannel()) : null;
	}

}
