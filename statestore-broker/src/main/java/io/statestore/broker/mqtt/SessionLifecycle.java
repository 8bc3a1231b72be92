package io.statestore.broker.mqtt;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.broker.session.Applied;
import io.statestore.broker.session.Applied.Connected;
import io.statestore.broker.session.Message;
import io.statestore.broker.session.Session;
import io.statestore.broker.session.SessionChange;
import io.statestore.broker.session.SessionLog;
import io.statestore.broker.session.Sessions;
import io.statestore.broker.session.Will;
import org.jspecify.annotations.Nullable;

/**
 * Begins and ends a connection in its client's session, and handles its will. Used on the
 * connection's event loop.
 */
final class SessionLifecycle {

	private final ClientLink link;

	private final SessionServer server;

	private final PendingChanges pending;

	private final TopicAccess access;

	/**
	 * Condition under which the will is published, {@code null} if there is no condition.
	 */
	private final @Nullable BooleanSupplier willCondition;

	private final long requestedExpirySeconds;

	private long expirySeconds;

	/** Number of the connection in the log, 0 if the log does not have it. */
	private long connectionNumber;

	/** Whether the CONNECT is on its way to the log. */
	private boolean connecting;

	/** Whether the will of an ended connection may be published. */
	private boolean keepsWill = true;

	/**
	 * Creates the lifecycle of a connection.
	 * @param link the connection
	 * @param server the session server
	 * @param pending the connection's changes
	 * @param access the client's access to topics
	 * @param connect the connection's CONNECT
	 */
	SessionLifecycle(ClientLink link, SessionServer server, PendingChanges pending, TopicAccess access,
			MqttConnectMessage connect) {
		this.link = link;
		this.server = server;
		this.pending = pending;
		this.access = access;
		this.willCondition = access
			.willCondition(connect.variableHeader().isWillFlag() ? connect.payload().willTopic() : null);
		MqttProperties properties = connect.variableHeader().properties();
		boolean cleanStart = connect.variableHeader().isCleanSession();
		this.requestedExpirySeconds = link.isMqtt5()
				? Packets.interval(properties, MqttProperties.SESSION_EXPIRY_INTERVAL, 0)
				: cleanStart ? 0 : Sessions.NO_EXPIRY;
		this.expirySeconds = Math.min(this.requestedExpirySeconds, server.settings().maxSessionExpirySeconds());
	}

	/**
	 * Executes the CONNECT.
	 * @param connect the client's CONNECT
	 * @param outcome receives the connection, possibly before this method returns, or
	 * {@code null} if memory or disk space is exhausted
	 */
	void begin(MqttConnectMessage connect, Consumer<@Nullable Begun> outcome) {
		@Nullable Will will;
		try {
			will = connect.variableHeader().isWillFlag() ? will(connect) : null;
		}
		catch (DecoderException ex) {
			this.link.disconnect(ReasonCodes.MALFORMED_PACKET, "a will with " + ex.getMessage());
			return;
		}
		String clientId = this.link.clientId();
		// Ensures that a client's connections take over from each other in log order.
		synchronized (this.server.lock(clientId)) {
			// If none of this applies, no state outlives the connection, so nothing has
			// to be logged.
			boolean logged = this.expirySeconds > 0 || will != null
					|| this.pending.log().sessions().find(clientId) != null || this.server.isConnected(clientId);
			boolean keepsEarlierWill = this.server.mayPublishWill(clientId);
			this.server.connected(this.access.client(), this.link);
			if (logged) {
				this.server.setWillCondition(clientId, this.willCondition);
				this.connecting = true;
				this.pending.append(
						new SessionChange.Connect(clientId, this.access.client().principal().name(),
								connect.variableHeader().isCleanSession(), this.expirySeconds, will, keepsEarlierWill),
						(applied) -> connected(applied, outcome), () -> refuse(outcome));
				return;
			}
		}
		outcome.accept(begun(null, false));
	}

	private Will will(MqttConnectMessage connect) {
		MqttProperties properties = connect.payload().willProperties();
		byte[] payload = connect.payload().willMessageInBytes();
		Message message = new Message(connect.payload().willTopic(), Publications.forwarded(properties),
				(payload != null) ? payload : new byte[0], connect.variableHeader().willQos(),
				connect.variableHeader().isWillRetain(), Message.NEVER, this.link.clientId());
		return new Will(message, Packets.interval(properties, MqttProperties.WILL_DELAY_INTERVAL, 0),
				Packets.interval(properties, MqttProperties.PUBLICATION_EXPIRY_INTERVAL, -1));
	}

	private void connected(Applied applied, Consumer<@Nullable Begun> outcome) {
		Connected connected = applied.connected();
		if (connected == null) {
			this.pending.refused("a session", MemoryUse.SESSION);
			refuse(outcome);
			return;
		}
		this.connecting = false;
		this.connectionNumber = connected.number();
		Session stored = connected.stored() ? this.pending.log().sessions().find(this.link.clientId()) : null;
		boolean current = stored != null && stored.connectionNumber() == this.connectionNumber;
		if (this.link.isEnded()) {
			end();
		}
		else if (current || !connected.stored()) {
			outcome.accept(begun(stored, connected.present()));
		}
		else {
			// Another connection has taken over.
			this.link.close();
		}
	}

	private Begun begun(@Nullable Session stored, boolean present) {
		return new Begun(stored, this.connectionNumber, present,
				(this.expirySeconds < this.requestedExpirySeconds) ? (int) this.expirySeconds : null);
	}

	/** Refuses the CONNECT because memory or disk space is exhausted. */
	private void refuse(Consumer<@Nullable Begun> outcome) {
		this.connecting = false;
		this.server.disconnected(this.link);
		if (!this.link.isEnded()) {
			outcome.accept(null);
		}
	}

	/** Handles a DISCONNECT from the client, before the connection ends. */
	void disconnected(MqttMessage disconnect) {
		this.keepsWill = false;
		if (disconnect.variableHeader() instanceof MqttReasonCodeAndPropertiesVariableHeader header) {
			long expiry = Packets.interval(header.properties(), MqttProperties.SESSION_EXPIRY_INTERVAL,
					this.expirySeconds);
			// An expiry of 0 in the CONNECT must not be changed now (MQTT 5 section
			// 3.14.2.2.2).
			boolean invalid = expiry != 0 && this.expirySeconds == 0;
			this.keepsWill = header.reasonCode() != 0 || invalid;
			this.expirySeconds = invalid ? 0 : Math.min(expiry, this.server.settings().maxSessionExpirySeconds());
		}
	}

	/** Ends the connection in the session. */
	void end() {
		if (this.connecting) {
			return;
		}
		this.server.disconnected(this.link);
		// While the server is stopping, the client gets time to reconnect before its will
		// is published, as after a crash.
		if (this.connectionNumber != 0 && !(this.keepsWill && this.server.isStopping())) {
			boolean publishes = this.keepsWill && (this.willCondition == null || this.willCondition.getAsBoolean());
			this.pending.log()
				.append(new SessionChange.Disconnect(this.link.clientId(), this.connectionNumber, this.expirySeconds,
						publishes), SessionLog.Outcome.NONE);
		}
	}

	/**
	 * A connection that has begun.
	 *
	 * @param stored the session, {@code null} if the session ends with the connection
	 * @param connectionNumber number of the connection in the log, 0 if the log does not
	 * have it
	 * @param present whether the connection continues a session (Session Present)
	 * @param reducedExpiry the session expiry if it is shorter than requested, otherwise
	 * {@code null}
	 */
	record Begun(@Nullable Session stored, long connectionNumber, boolean present, @Nullable Integer reducedExpiry) {
	}

}
