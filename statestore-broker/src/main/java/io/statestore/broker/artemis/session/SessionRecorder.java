package io.statestore.broker.artemis.session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.statestore.broker.artemis.disk.SessionChange;
import io.statestore.broker.artemis.disk.SessionChange.Ended;
import io.statestore.broker.artemis.disk.SessionChange.Kept;
import io.statestore.broker.artemis.disk.SessionChange.Received;
import io.statestore.broker.artemis.disk.SessionChange.Released;
import io.statestore.broker.artemis.disk.SessionChange.Subscribed;
import io.statestore.broker.artemis.disk.SessionChange.Unsubscribed;
import io.statestore.broker.artemis.disk.SessionFile;
import io.statestore.broker.artemis.disk.StoredSession;
import io.statestore.broker.artemis.disk.StoredSubscription;
import io.statestore.broker.packet.Packets;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTInterceptor;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;
import org.apache.activemq.artemis.core.server.ServerSession;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerSessionPlugin;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Interceptor that writes sessions to a file before the client learns of a change. It is
 * called on threads of Artemis, which may wait for the disk. Thread-safe, except that one
 * thread at a time may sweep.
 * <p>
 * If the disk fails or is full, sessions continue in memory. The next sweep that succeeds
 * writes them.
 */
final class SessionRecorder implements MQTTInterceptor, ActiveMQServerSessionPlugin {

	private static final Logger logger = LoggerFactory.getLogger(SessionRecorder.class);

	/**
	 * Number of sweeps between two writes of the clock. A sweep runs every half second.
	 */
	private static final int SWEEPS_PER_CLOCK = 20;

	private final SessionFile file;

	private final SessionStates states;

	private final SessionLedger ledger;

	/** Returns the name of a queue, from a client id in Artemis and a filter. */
	private final BinaryOperator<String> queueNames;

	/** Packet identifiers of QoS 2 messages that could not be written, by client id. */
	private final Map<String, Set<Integer>> unwritten = new ConcurrentHashMap<>();

	/**
	 * Expiry in seconds of sessions whose connection has ended, by client id. They do not
	 * expire in Artemis, which compares wall-clock times.
	 */
	private final Map<String, Integer> expiries = new ConcurrentHashMap<>();

	/** Whether changes could not be written. */
	private final AtomicBoolean behind = new AtomicBoolean();

	/** Whether the latest failure was logged. */
	private final AtomicBoolean failing = new AtomicBoolean();

	private int sweeps;

	/** Prevents a sweep after the server has stopped, when it has no sessions. */
	private final ReentrantLock sweeping = new ReentrantLock();

	private volatile boolean closed;

	SessionRecorder(SessionFile file, SessionStates states, SessionLedger ledger, BinaryOperator<String> queueNames) {
		this.file = file;
		this.states = states;
		this.ledger = ledger;
		this.queueNames = queueNames;
	}

	@Override
	public boolean intercept(MqttMessage packet, RemotingConnection connection) {
		String clientId = connection.getClientID();
		if (clientId == null || this.closed) {
			return true;
		}
		switch (packet.fixedHeader().messageType()) {
			case CONNACK -> {
				if (packet instanceof MqttConnAckMessage connack
						&& connack.variableHeader().connectReturnCode() == MqttConnectReturnCode.CONNECTION_ACCEPTED) {
					this.expiries.remove(clientId);
					changed(clientId, connack.variableHeader().isSessionPresent());
				}
			}
			case SUBACK, UNSUBACK -> {
				if (this.states.isConnected(clientId, connection)) {
					changed(clientId, true);
				}
			}
			case PUBREC -> {
				if (!Packets.isFailure(packet)) {
					return received(clientId, connection, Packets.packetId(packet));
				}
			}
			case PUBCOMP -> {
				this.unwritten.computeIfPresent(clientId, (id, packetIds) -> {
					packetIds.remove(Packets.packetId(packet));
					return packetIds.isEmpty() ? null : packetIds;
				});
				write(clientId, (stored) -> released(clientId, Packets.packetId(packet), stored));
			}
			default -> {
				// Changes nothing that is stored.
			}
		}
		return true;
	}

	/**
	 * Writes what has changed in a session.
	 * @param clientId id of the client in Artemis
	 * @param continued whether it is the session that is stored, not a new one
	 */
	private void changed(String clientId, boolean continued) {
		MQTTSessionState state = this.states.session(clientId);
		boolean lasting = this.ledger.isLasting(clientId);
		write(clientId, (stored) -> {
			if (lasting && continued) {
				return changes(clientId, state, stored);
			}
			this.unwritten.remove(clientId);
			List<SessionChange> changes = new ArrayList<>(ended(clientId, stored));
			if (lasting) {
				changes.addAll(changes(clientId, state, null));
			}
			return changes;
		});
	}

	/**
	 * Writes the end of a connection, or of a session whose DISCONNECT asks for it.
	 * Called before the connection is closed, also on an event loop. Does not wait for
	 * the disk.
	 */
	@Override
	public void afterCloseSession(ServerSession session, boolean failed) {
		String clientId = session.getRemotingConnection().getClientID();
		if (clientId == null || this.closed || !this.ledger.isLasting(clientId)) {
			return;
		}
		MQTTSessionState state = this.states.session(clientId);
		int expiry = state.getClientSessionExpiryInterval();
		try {
			if (expiry == 0) {
				this.file.append(clientId, (stored) -> ended(clientId, stored));
			}
			else if (expiry != StoredSession.NEVER) {
				this.file.append(clientId, (stored) -> detached(state, expiry, stored));
			}
		}
		catch (IOException ex) {
			failed(ex);
		}
	}

	/** Lets {@link RecoveredSessions} end a session instead of Artemis. */
	private List<SessionChange> detached(MQTTSessionState state, int expiry, @Nullable StoredSession stored) {
		if (stored == null) {
			return List.of();
		}
		this.expiries.put(state.getClientId(), expiry);
		state.setClientSessionExpiryInterval(StoredSession.NEVER);
		return List.of(new Kept(state.getClientId(), expiry, this.file.clock()));
	}

	private boolean write(String clientId, Function<@Nullable StoredSession, List<SessionChange>> changes) {
		try {
			this.file.update(clientId, changes);
			return true;
		}
		catch (IOException ex) {
			failed(ex);
			return false;
		}
	}

	/**
	 * Writes the receipt of a QoS 2 message, which the journal contains.
	 * @return {@code false} if another session has replaced that of the connection
	 */
	private boolean received(String clientId, RemotingConnection connection, int packetId) {
		AtomicBoolean current = new AtomicBoolean();
		AtomicBoolean stores = new AtomicBoolean();
		boolean written = write(clientId, (stored) -> {
			current.set(this.states.hasReceived(clientId, connection, packetId));
			if (!current.get()) {
				return List.of();
			}
			stores.set(stored != null);
			return (stored != null && !stored.received().contains(packetId)) ? List.of(new Received(clientId, packetId))
					: List.of();
		});
		if (current.get() && this.ledger.isLasting(clientId) && !(written && stores.get())) {
			this.unwritten.compute(clientId, (id, known) -> {
				Set<Integer> packetIds = (known != null) ? known : ConcurrentHashMap.newKeySet();
				packetIds.add(packetId);
				return packetIds;
			});
		}
		return current.get();
	}

	private void failed(IOException failure) {
		this.behind.set(true);
		if (!this.closed && this.failing.compareAndSet(false, true)) {
			logger.error("Failed to store MQTT sessions. They continue in memory and are stored as soon as possible",
					failure);
		}
	}

	private static List<SessionChange> ended(String clientId, @Nullable StoredSession stored) {
		return (stored != null) ? List.of(new Ended(clientId)) : List.of();
	}

	private static List<SessionChange> released(String clientId, int packetId, @Nullable StoredSession stored) {
		return (stored != null && stored.received().contains(packetId)) ? List.of(new Released(clientId, packetId))
				: List.of();
	}

	/** Returns the changes from a stored session to the session in Artemis. */
	private List<SessionChange> changes(String clientId, MQTTSessionState state, @Nullable StoredSession stored) {
		List<SessionChange> changes = new ArrayList<>();
		long detachedAt = detachedAt(state, stored);
		int expiry = expiry(state, stored);
		if (stored == null || stored.expirySeconds() != expiry || stored.detachedAt() != detachedAt) {
			changes.add(new Kept(clientId, expiry, detachedAt));
		}
		Map<String, StoredSubscription> known = (stored != null) ? stored.subscriptions() : Map.of();
		Map<String, StoredSubscription> present = SessionStates.subscriptions(state);
		present.values()
			.stream()
			.filter((subscription) -> !subscription.equals(known.get(subscription.filter())))
			.forEach((subscription) -> changes.add(new Subscribed(clientId, subscription)));
		known.keySet()
			.stream()
			.filter((filter) -> !present.containsKey(filter))
			.forEach((filter) -> changes.add(new Unsubscribed(clientId, filter)));
		if (stored != null) {
			Set<String> queues = known.keySet()
				.stream()
				.filter((filter) -> !present.containsKey(filter))
				.map((filter) -> this.queueNames.apply(clientId, filter))
				.collect(Collectors.toSet());
			List<Integer> ended = stored.sent()
				.entrySet()
				.stream()
				.filter((sent) -> queues.contains(sent.getValue().queue()))
				.map(Map.Entry::getKey)
				.toList();
			changes.addAll(SentMessages.gone(clientId, stored, ended));
		}
		if (stored != null) {
			stored.received()
				.stream()
				.filter((packetId) -> !state.getPubRec().contains(packetId))
				.forEach((packetId) -> changes.add(new Released(clientId, packetId)));
		}
		this.unwritten.getOrDefault(clientId, Set.of())
			.stream()
			.filter((packetId) -> state.getPubRec().contains(packetId))
			.filter((packetId) -> stored == null || !stored.received().contains(packetId))
			.forEach((packetId) -> changes.add(new Received(clientId, packetId)));
		return changes;
	}

	private long detachedAt(MQTTSessionState state, @Nullable StoredSession stored) {
		if (state.isAttached()) {
			return StoredSession.ATTACHED;
		}
		return (stored != null && stored.detachedAt() != StoredSession.ATTACHED) ? stored.detachedAt()
				: this.file.clock();
	}

	/** Returns the expiry, which a session without a connection has not in Artemis. */
	private int expiry(MQTTSessionState state, @Nullable StoredSession stored) {
		Integer expiry = this.expiries.get(state.getClientId());
		if (expiry != null) {
			return expiry;
		}
		return (SessionStates.isRecovered(state) && stored != null) ? stored.expirySeconds()
				: state.getClientSessionExpiryInterval();
	}

	/**
	 * Writes the ends of sessions and of connections, and what could not be written
	 * earlier.
	 */
	void sweep() {
		this.sweeping.lock();
		try {
			if (!this.closed) {
				trySweep();
			}
		}
		catch (IOException ex) {
			failed(ex);
		}
		finally {
			this.sweeping.unlock();
		}
	}

	/**
	 * Writes the latest changes, and ignores further ones. Precedes the stop of Artemis.
	 */
	void close() {
		this.sweeping.lock();
		try {
			sweep();
			this.file.storeClock();
		}
		catch (IOException ex) {
			failed(ex);
		}
		finally {
			this.closed = true;
			this.sweeping.unlock();
		}
	}

	private void trySweep() throws IOException {
		this.file.compact();
		Map<String, Boolean> stored = new HashMap<>();
		this.file.forEach((clientId, session) -> stored.put(clientId, session.detachedAt() == StoredSession.ATTACHED));
		// In this order, because a session starts in Artemis before it is stored.
		Map<String, MQTTSessionState> present = this.states.all();
		boolean all = this.behind.getAndSet(false);
		long mark = 0;
		for (Map.Entry<String, MQTTSessionState> entry : present.entrySet()) {
			boolean changed = !stored.containsKey(entry.getKey())
					|| (stored.get(entry.getKey()) && !entry.getValue().isAttached());
			if (all || changed) {
				mark = Math.max(mark, append(entry.getKey(), entry.getValue()));
			}
		}
		for (String clientId : stored.keySet()) {
			if (!present.containsKey(clientId)) {
				mark = Math.max(mark, this.file.append(clientId,
						(session) -> this.ledger.isAttached(clientId) ? List.of() : ended(clientId, session)));
			}
		}
		this.file.force(mark);
		this.unwritten.keySet().retainAll(present.keySet());
		this.expiries.keySet()
			.removeIf((clientId) -> !present.containsKey(clientId) && !this.ledger.isLasting(clientId));
		if (++this.sweeps % SWEEPS_PER_CLOCK == 0) {
			this.file.storeClock();
		}
		if (!this.behind.get() && this.failing.compareAndSet(true, false)) {
			logger.info("MQTT sessions are stored again");
		}
	}

	private long append(String clientId, MQTTSessionState state) throws IOException {
		if (!this.ledger.isLasting(clientId)) {
			return 0;
		}
		return this.file.append(clientId, (stored) -> changes(clientId, state, stored));
	}

}
