package io.statestore.broker.artemis.session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.statestore.broker.artemis.disk.SessionChange;
import io.statestore.broker.artemis.disk.SessionChange.Kept;
import io.statestore.broker.artemis.disk.SessionFile;
import io.statestore.broker.artemis.disk.StoredSession;
import io.statestore.broker.packet.Packets;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTInterceptor;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnection;
import org.apache.activemq.artemis.core.server.ServerSession;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerSessionPlugin;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;
import org.jspecify.annotations.Nullable;

/**
 * Interceptor that writes sessions to a file before the client learns of a change. It is
 * called on threads of Artemis, which may wait for the disk. Thread-safe.
 * <p>
 * If a change of a stored session cannot be written, the connection is closed instead:
 * after a restart, the session would lack what the client relies on. A new session that
 * cannot be written continues in memory, and ends with the process.
 */
final class SessionRecorder implements MQTTInterceptor, ActiveMQServerSessionPlugin {

	private final SessionFile file;

	private final SessionStates states;

	private final SessionLedger ledger;

	private final SessionChanges changes;

	private final UnwrittenIds unwritten = new UnwrittenIds();

	private final SessionFailures failures = new SessionFailures();

	private final SessionSweep sweep;

	private volatile boolean closed;

	SessionRecorder(SessionFile file, SessionStates states, SessionLedger ledger, ArtemisQueues queues,
			SessionOwners owners) {
		this.file = file;
		this.states = states;
		this.ledger = ledger;
		this.changes = new SessionChanges(file, queues::name, this.unwritten, owners);
		this.sweep = new SessionSweep(file, states, ledger, this.changes, this.unwritten, this.failures);
	}

	@Override
	public boolean intercept(MqttMessage packet, RemotingConnection connection) {
		String clientId = connection.getClientID();
		if (clientId == null || this.closed || isWritten(clientId, packet, connection)) {
			return true;
		}
		if (connection.getTransportConnection() instanceof NettyConnection netty) {
			netty.getNettyChannel().close();
		}
		return false;
	}

	/** Returns whether a client may receive a packet. */
	private boolean isWritten(String clientId, MqttMessage packet, RemotingConnection connection) {
		return switch (packet.fixedHeader().messageType()) {
			case CONNACK -> !(packet instanceof MqttConnAckMessage connack)
					|| connack.variableHeader().connectReturnCode() != MqttConnectReturnCode.CONNECTION_ACCEPTED
					|| connected(clientId, connack.variableHeader().isSessionPresent());
			case SUBACK, UNSUBACK -> !this.states.isConnected(clientId, connection) || changed(clientId, true);
			case PUBREC -> Packets.isFailure(packet) || received(clientId, connection, Packets.packetId(packet));
			case PUBCOMP -> released(clientId, Packets.packetId(packet));
			default -> true;
		};
	}

	private boolean connected(String clientId, boolean continued) {
		this.changes.attached(clientId);
		return changed(clientId, continued);
	}

	/**
	 * Writes what has changed in a session.
	 * @param clientId id of the client in Artemis
	 * @param continued whether it is the session that is stored, not a new one
	 * @return whether the client may learn of it
	 */
	private boolean changed(String clientId, boolean continued) {
		MQTTSessionState session = this.states.find(clientId);
		if (session == null) {
			// It has expired at this moment.
			return false;
		}
		boolean lasting = this.ledger.isLasting(clientId);
		return write(clientId, true, (stored) -> {
			if (lasting && continued) {
				return this.changes.between(stored, session);
			}
			this.unwritten.removeAll(clientId);
			List<SessionChange> written = new ArrayList<>(SessionChanges.ended(clientId, stored));
			if (lasting) {
				written.addAll(this.changes.between(null, session));
			}
			return written;
		});
	}

	/**
	 * Writes the receipt of a QoS 2 message, which the journal contains, unless another
	 * session has replaced that of the connection.
	 */
	private boolean received(String clientId, RemotingConnection connection, int packetId) {
		AtomicBoolean current = new AtomicBoolean();
		AtomicBoolean stores = new AtomicBoolean();
		boolean written = write(clientId, this.file.forcesMessages(), (stored) -> {
			current.set(this.states.hasReceived(clientId, connection, packetId));
			if (!current.get()) {
				return List.of();
			}
			stores.set(stored != null);
			return SessionChanges.received(clientId, packetId, stored);
		});
		if (current.get() && !stores.get() && this.ledger.isLasting(clientId)) {
			this.unwritten.add(clientId, packetId);
		}
		return current.get() && written;
	}

	/**
	 * Writes the release of the identifier of a QoS 2 message. Always waits for the disk,
	 * because the client may use the identifier for another message.
	 */
	private boolean released(String clientId, int packetId) {
		this.unwritten.remove(clientId, packetId);
		return write(clientId, true, (stored) -> SessionChanges.released(clientId, packetId, stored));
	}

	/** Returns whether the client may learn of the changes. */
	private boolean write(String clientId, boolean waits,
			Function<@Nullable StoredSession, List<SessionChange>> changes) {
		AtomicBoolean needed = new AtomicBoolean();
		try {
			long mark = this.file.append(clientId, (stored) -> {
				List<SessionChange> written = changes.apply(stored);
				// The next sweep repeats a change of the connection.
				needed.set(stored != null && !written.stream().allMatch(Kept.class::isInstance));
				return written;
			});
			if (waits) {
				this.file.force(mark);
			}
			return true;
		}
		catch (IOException ex) {
			this.failures.failed(ex);
			return !needed.get();
		}
	}

	/**
	 * Writes the end of a connection, or of a session whose DISCONNECT asks for it.
	 * Called before the connection is closed, also on an event loop. Does not wait for
	 * the disk.
	 */
	@Override
	public void afterCloseSession(ServerSession serverSession, boolean failed) {
		String clientId = serverSession.getRemotingConnection().getClientID();
		if (clientId == null || this.closed || !this.ledger.isLasting(clientId)) {
			return;
		}
		MQTTSessionState session = this.states.find(clientId);
		if (session == null) {
			return;
		}
		try {
			this.file.append(clientId, (stored) -> this.changes.detached(stored, session));
		}
		catch (IOException ex) {
			this.failures.failed(ex);
		}
	}

	/**
	 * Writes the ends of sessions and of connections, and what could not be written
	 * earlier. One thread at a time may call it.
	 */
	void sweep() {
		this.sweep.run();
	}

	/**
	 * Writes the latest changes, and ignores further ones. Precedes the stop of Artemis.
	 */
	void close() {
		this.sweep.close();
		this.closed = true;
	}

}
