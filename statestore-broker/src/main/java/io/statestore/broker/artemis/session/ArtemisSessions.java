package io.statestore.broker.artemis.session;

import java.io.IOException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.statestore.broker.artemis.disk.DiskSpace;
import io.statestore.broker.artemis.disk.SessionFile;
import io.statestore.broker.memory.MemoryBudget;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSession;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;
import org.apache.activemq.artemis.core.server.impl.ActiveMQServerImpl;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;
import org.jspecify.annotations.Nullable;

/**
 * Sessions, subscriptions, and topics of all MQTT clients. Limits the memory that they
 * take in Artemis, and removes what Artemis leaves behind. Thread-safe, except for the
 * two sweeps, each of which is called by one thread at a time.
 * <p>
 * Internal: not part of the API.
 */
public final class ArtemisSessions {

	/** Number of sweeps between two searches for queues without a session. */
	private static final int SWEEPS_PER_ORPHANS = 10;

	private final ActiveMQServerImpl server;

	private final SessionStates states;

	private final ArtemisQueues queues;

	private final SessionOwners owners;

	private final SessionLedger ledger;

	private final TopicLedger topics;

	private final OrphanedQueues orphans;

	private final WillGuard wills;

	private final EarlierWills earlierWills;

	private final MqttQueuesPlugin queueFactory;

	/** Writes sessions to a file, {@code null} if they are only in memory. */
	private final @Nullable SessionRecorder recorder;

	private final @Nullable SentMessages sent;

	/** Sessions of an earlier process, {@code null} if sessions are only in memory. */
	private final @Nullable RecoveredSessions recovered;

	private final DiskSpace disk;

	/** Number of calls of {@link #sweep()}. */
	private int sweeps;

	/**
	 * Creates the sessions of a server that has not been started.
	 * @param server the Artemis server
	 * @param budget limits the memory of clients
	 * @param nanoTime returns monotonic time in nanoseconds
	 * @param file the file of sessions, or {@code null} to keep them in memory only
	 * @param disk space for messages that are stored
	 */
	public ArtemisSessions(ActiveMQServerImpl server, MemoryBudget budget, LongSupplier nanoTime,
			@Nullable SessionFile file, DiskSpace disk) {
		this.server = server;
		this.queues = new ArtemisQueues(server);
		this.states = new SessionStates(server, this.queues);
		this.owners = new SessionOwners((clientId) -> this.states.find(clientId) != null);
		this.ledger = new SessionLedger(budget, this.owners, this.states, new SubscriptionQueues(this.queues::name));
		this.topics = new TopicLedger(server, budget, nanoTime);
		this.orphans = new OrphanedQueues(this.queues, this.ledger.queues());
		RetainedReplacements replacements = (file != null) ? new RetainedReplacements() : null;
		this.queueFactory = new MqttQueuesPlugin(server, this.orphans,
				(file != null) ? this.ledger::isLasting : (id) -> true, replacements);
		this.recorder = (file != null) ? new SessionRecorder(file, this.states, this.ledger, this.queues, this.owners)
				: null;
		this.sent = (file != null) ? new SentMessages(file, this.states) : null;
		this.recovered = (file != null && this.sent != null)
				? new RecoveredSessions(file, this.states, this.ledger, this.queues, this.sent, this.owners) : null;
		this.disk = disk;
		this.wills = new WillGuard(this.states);
		this.earlierWills = new EarlierWills(server, this.states);
		server.registerBrokerPlugin(this.wills);
		server.registerBrokerPlugin(this.topics);
		server.registerBrokerPlugin(this.queueFactory);
		if (replacements != null) {
			server.registerBrokerPlugin(replacements);
		}
		if (this.sent != null && this.recorder != null) {
			server.registerBrokerPlugin(this.sent);
			server.registerBrokerPlugin(this.recorder);
		}
	}

	/**
	 * Recovers stored sessions, and adds interceptors to Artemis after its start, before
	 * it accepts connections.
	 * @throws IOException if the disk fails or is full
	 */
	public void install() throws IOException {
		this.queueFactory.recovered();
		SubscriptionOptions options = new SubscriptionOptions(this.states);
		this.server.getRemotingService().addIncomingInterceptor(options);
		this.server.getRemotingService().addOutgoingInterceptor(this.earlierWills);
		// Precedes the interceptor that stores the session.
		this.server.getRemotingService().addOutgoingInterceptor(options);
		if (this.recorder != null && this.recovered != null && this.sent != null) {
			this.queues.removeIncompleteMessages();
			this.recovered.recover();
			this.topics.recovered();
			this.server.getRemotingService().addOutgoingInterceptor(this.recorder);
			this.server.getRemotingService().addOutgoingInterceptor(this.sent.outgoing());
		}
		this.server.getRemotingService().addOutgoingInterceptor(new WillBuffers(this.states));
	}

	/**
	 * Creates the channel handler that limits the memory of one connection.
	 * @param connectionId id of the connection in Artemis
	 * @return a handler, to be placed between the MQTT codec and Artemis
	 */
	public ChannelHandler newGuard(Object connectionId) {
		return new SessionGuard(this.ledger, this.topics, this.disk,
				(queues) -> this.queues.stopDelivery(connectionId, queues));
	}

	/**
	 * Creates the handler of the QoS 2 messages that a client receives.
	 * @param channel the connection
	 * @return a handler for packets of the client
	 * @throws IllegalStateException if sessions are only in memory
	 */
	public SubscriberHandshake newHandshake(Channel channel) {
		if (this.sent == null) {
			throw new IllegalStateException("Artemis handles the packets of sessions in memory");
		}
		return new SubscriberHandshake(channel, this.server.getStorageManager(), this.sent);
	}

	/**
	 * Handles a CONNECT that Artemis executes next, on the same thread.
	 * @param connect the CONNECT, with the client id in Artemis
	 */
	public void connecting(MqttConnectMessage connect) {
		this.earlierWills.connecting(connect);
	}

	/**
	 * Handles a CONNECT that Artemis has executed.
	 * @param connection the connection
	 * @param handshake its handler of QoS 2 messages
	 */
	public void connected(RemotingConnection connection, SubscriberHandshake handshake) {
		String clientId = connection.getClientID();
		MQTTSessionState session = (clientId != null) ? this.states.find(clientId) : null;
		if (session != null && this.states.isConnected(session.getClientId(), connection)) {
			handshake.connected(session);
		}
	}

	/**
	 * Returns the latest connection of a session.
	 * @param clientId id of the client in Artemis
	 * @return the connection in Artemis, which may have ended, or {@code null} if there
	 * is no session, or it has had no connection in this process
	 */
	public @Nullable MQTTSession latestConnection(String clientId) {
		MQTTSessionState session = this.states.find(clientId);
		return (session != null) ? session.getSession() : null;
	}

	/**
	 * Reserves a client id for a connection.
	 * @param request the request
	 * @return whether the id is reserved
	 */
	public ClaimResult claim(ClaimRequest request) {
		return this.owners.claim(QueueNames.clientId(request.clientId()), request);
	}

	/**
	 * Releases a client id after the end of a connection.
	 * @param clientId id of the client as the client sent it
	 */
	public void release(String clientId) {
		this.owners.release(QueueNames.clientId(clientId));
	}

	/**
	 * Passes the subscriptions of a session to a consumer.
	 * @param clientId id of the client as the client sent it
	 * @param target receives the subscriptions, none if the client has no session
	 */
	public void copySubscriptions(String clientId, SubscriptionConsumer target) {
		this.states.copySubscriptions(clientId, target);
	}

	/**
	 * Sets the condition under which the will of a connected client is published.
	 * @param connection the connection of the client
	 * @param condition the condition, called on any thread, or {@code null} for none.
	 * Must not refer to the connection, with which it is forgotten
	 */
	public void guardWill(Channel connection, @Nullable BooleanSupplier condition) {
		this.wills.guard(connection, condition);
	}

	/**
	 * Returns whether at least one MQTT client is connected.
	 * @return {@code false} as soon as Artemis has ended the connections of all clients
	 */
	public boolean hasConnectedClients() {
		return this.states.hasConnectedClients();
	}

	/**
	 * Compares the reserved memory with the sessions and topics in Artemis, and removes
	 * unused topics and queues.
	 */
	public void sweep() {
		if (this.recovered != null) {
			this.recovered.sweep();
		}
		this.topics.sweep(this.ledger.sweep());
		this.owners.sweep();
		if (this.recorder != null) {
			this.recorder.sweep();
		}
		if (++this.sweeps % SWEEPS_PER_ORPHANS == 0) {
			this.orphans.sweep();
		}
	}

	/** Stores the latest changes. To be called before the server stops. */
	public void close() {
		if (this.recorder != null) {
			this.recorder.close();
		}
	}

	/** Removes the queues of shared subscriptions whose last member has left. */
	public void sweepLeftQueues() {
		this.orphans.sweepLeft();
	}

}
