package io.statestore.broker.artemis.session;

import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.BooleanSupplier;

import org.apache.activemq.artemis.api.core.ActiveMQSecurityException;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState.WillStatus;
import org.apache.activemq.artemis.core.server.ServerSession;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerMessagePlugin;
import org.apache.activemq.artemis.core.transaction.Transaction;
import org.jspecify.annotations.Nullable;

/**
 * Plugin that does not publish wills whose clients have lost the permission. The time of
 * publication may be long after the end of the connection. Thread-safe.
 */
final class WillGuard implements ActiveMQServerMessagePlugin {

	private final SessionStates states;

	/** Conditions for wills, by session. */
	private final Map<MQTTSessionState, BooleanSupplier> conditions = Collections.synchronizedMap(new WeakHashMap<>());

	WillGuard(SessionStates states) {
		this.states = states;
	}

	/**
	 * Sets the condition under which the will of a client is published.
	 * @param clientId id of the client as the client sent it
	 * @param condition the condition, {@code null} for none
	 */
	void guard(String clientId, @Nullable BooleanSupplier condition) {
		if (condition == null && this.conditions.isEmpty()) {
			return;
		}
		MQTTSessionState session = this.states.find(QueueNames.clientId(clientId));
		if (session != null && condition != null) {
			this.conditions.put(session, condition);
		}
		else if (session != null) {
			this.conditions.remove(session);
		}
	}

	@Override
	public void beforeSend(ServerSession session, Transaction transaction, Message message, boolean direct,
			boolean noAutoCreateQueue) throws ActiveMQSecurityException {
		String clientId = this.conditions.isEmpty() ? null : session.getRemotingConnection().getClientID();
		MQTTSessionState state = (clientId != null) ? this.states.find(clientId) : null;
		if (state == null || state.getWillStatus() != WillStatus.SENDING) {
			return;
		}
		BooleanSupplier condition = this.conditions.get(state);
		if (condition != null && !condition.getAsBoolean()) {
			// Artemis would try again later.
			state.setWill(false);
			throw new ActiveMQSecurityException("The client may not publish its will");
		}
	}

}
