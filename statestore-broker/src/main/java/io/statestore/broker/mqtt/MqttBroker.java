package io.statestore.broker.mqtt;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.netty.channel.Channel;
import io.statestore.broker.artemis.ClientIdClaim;
import io.statestore.broker.artemis.disk.MqttDirectory;
import io.statestore.broker.artemis.session.ClaimRequest;
import io.statestore.broker.artemis.session.SubscriptionConsumer;
import io.statestore.broker.login.Logins;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.server.ConnectionStatistics;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.storage.StorageOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An MQTT 5 broker that passes requests to the state store to a {@link ClientListener},
 * and serves ordinary messages with Artemis. Keeps all data in memory, unless the
 * settings contain a directory. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public final class MqttBroker implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(MqttBroker.class);

	private static final int SERVER_SHUTTING_DOWN = 0x8B;

	private static final int USE_ANOTHER_SERVER = 0x9C;

	/** Maximum time for clients to disconnect before the broker stops. */
	private static final Duration DISCONNECT_TIMEOUT = Duration.ofMillis(300);

	private static final Duration POLL_INTERVAL = Duration.ofMillis(2);

	private final OrdinaryServer artemis;

	private final MqttConnections connections;

	private final Logins logins;

	private final LongSupplier nanoTime;

	private final AtomicBoolean closed = new AtomicBoolean();

	private @Nullable TcpEndpoint endpoint;

	private MqttBroker(MqttBrokerSettings settings, ClientListener listener, MemoryBudget budget,
			LongSupplier nanoTime) {
		this(settings, listener, budget, nanoTime, new ArtemisOrdinaryServer(settings.maxPacketSize(),
				directory(settings), budget, nanoTime, listener::failed));
	}

	private MqttBroker(MqttBrokerSettings settings, ClientListener listener, MemoryBudget budget, LongSupplier nanoTime,
			OrdinaryServer ordinary) {
		this.nanoTime = nanoTime;
		this.artemis = ordinary;
		this.logins = new Logins(settings.security().authenticators(), settings.security().anonymous(), settings.time(),
				budget.maxForLogins());
		this.connections = new MqttConnections(settings, listener, new Delegate(), this.logins);
	}

	private static @Nullable MqttDirectory directory(MqttBrokerSettings settings) {
		StorageOptions storage = settings.storage();
		return (storage != null) ? MqttDirectory.of(storage) : null;
	}

	/**
	 * Starts a broker.
	 * @param settings address and limits
	 * @param listener receives the requests to the state store
	 * @param budget limits the memory of clients
	 * @return the broker, which accepts clients
	 * @throws IllegalStateException if it cannot listen on the address; the message
	 * contains host, port, and reason
	 */
	public static MqttBroker start(MqttBrokerSettings settings, ClientListener listener, MemoryBudget budget) {
		return start(settings, listener, budget, System::nanoTime);
	}

	/**
	 * Starts a broker that receives connections by {@link #accept} only.
	 * @param settings limits
	 * @param listener receives the requests to the state store
	 * @param budget limits the memory of clients
	 * @param endpoint accepts the connections, and outlives the broker
	 * @return the broker
	 * @throws IllegalStateException if the broker cannot start
	 */
	public static MqttBroker behind(NodeEndpoint endpoint, MqttBrokerSettings settings, ClientListener listener,
			MemoryBudget budget) {
		return start(new MqttBroker(settings, listener, budget, System::nanoTime),
				(ordinary) -> TcpEndpoint.behind(endpoint.listener(), settings, budget, ordinary::accept));
	}

	static MqttBroker start(MqttBrokerSettings settings, ClientListener listener, MemoryBudget budget,
			LongSupplier nanoTime) {
		return start(new MqttBroker(settings, listener, budget, nanoTime),
				(ordinary) -> TcpEndpoint.listen(settings, budget, ordinary::accept));
	}

	/**
	 * Starts a broker with another server for ordinary messages, until it is the only
	 * one.
	 */
	static MqttBroker start(MqttBrokerSettings settings, ClientListener listener, MemoryBudget budget,
			OrdinaryServer ordinary) {
		return start(new MqttBroker(settings, listener, budget, System::nanoTime, ordinary),
				(server) -> TcpEndpoint.listen(settings, budget, server::accept));
	}

	private static MqttBroker start(MqttBroker broker, Function<OrdinaryServer, TcpEndpoint> endpoint) {
		try {
			broker.artemis.start(broker.connections);
			broker.endpoint = endpoint.apply(broker.artemis);
			return broker;
		}
		catch (Exception ex) {
			broker.close();
			throw (ex instanceof IllegalStateException known) ? known
					: new IllegalStateException("Failed to start the MQTT broker", ex);
		}
	}

	/**
	 * Takes over a connection. Closes it if the broker is stopping.
	 * @param connection an open connection with an empty pipeline; called on its event
	 * loop
	 */
	public void accept(Channel connection) {
		Objects.requireNonNull(this.endpoint, "not listening").accept(connection);
	}

	/**
	 * Returns the port on which this broker listens.
	 * @return the TCP port
	 */
	public int port() {
		return Objects.requireNonNull(this.endpoint, "not listening").port();
	}

	/**
	 * Returns the number of connections and their failures.
	 * @return a snapshot
	 */
	public ConnectionStatistics connections() {
		return (this.endpoint != null) ? this.endpoint.statistics() : ConnectionStatistics.NONE;
	}

	/**
	 * Returns the number of messages, filters of subscriptions, wills, and response
	 * topics that were denied.
	 * @return the number since the start
	 */
	public long deniedTopics() {
		return this.connections.deniedTopics();
	}

	/**
	 * Returns the logins of clients.
	 * @return the logins, for statistics
	 */
	public Logins logins() {
		return this.logins;
	}

	/**
	 * Returns whether the journal of messages has failed, so that messages that it would
	 * store are refused until a restart.
	 * @return {@code false} if there is none
	 */
	public boolean hasFailedJournal() {
		return this.artemis.hasFailedJournal();
	}

	/**
	 * Ends all connections at once and stops listening, without waiting. To be followed
	 * by {@link #close()}, on a thread that may block.
	 * @param stopped runs when the broker no longer listens
	 */
	public void abort(Runnable stopped) {
		Objects.requireNonNull(this.endpoint, "not listening").abort(stopped);
		this.connections.sessions().forEach(ClientSession::abort);
	}

	/** Disconnects all clients and stops. Has no effect the second time. */
	@Override
	public void close() {
		close(SERVER_SHUTTING_DOWN, "the server is shutting down");
	}

	/**
	 * Stops as {@link #close()} does, but tells clients to use another server, because
	 * another node leads. Names none: the next leader may be unknown, and clients may
	 * reach it by another name.
	 */
	public void moveClients() {
		close(USE_ANOTHER_SERVER, "another node leads; connect again");
	}

	private void close(int reasonCode, String reason) {
		if (!this.closed.compareAndSet(false, true)) {
			return;
		}
		this.artemis.prepareStop();
		try {
			disconnectClients(reasonCode, reason);
			// Artemis rejects the end of a connection once it has stopped.
			if (this.endpoint != null) {
				this.endpoint.closeConnections();
			}
			this.artemis.stop();
		}
		catch (Exception ex) {
			logger.warn("The MQTT broker did not stop cleanly", ex);
		}
		finally {
			// Artemis would wait without limit for connections whose event loop has
			// ended.
			if (this.endpoint != null) {
				this.endpoint.close();
			}
			this.artemis.close();
			this.logins.close();
		}
	}

	/** Sends a DISCONNECT to all clients, and waits until Artemis ends their sessions. */
	private void disconnectClients(int reasonCode, String reason) {
		if (this.endpoint == null) {
			return;
		}
		this.endpoint.pause();
		this.connections.sessions().forEach((session) -> session.disconnectLater(reasonCode, reason));
		long start = this.nanoTime.getAsLong();
		while (this.artemis.hasConnectedClients() && this.nanoTime.getAsLong() - start < DISCONNECT_TIMEOUT.toNanos()) {
			LockSupport.parkNanos(POLL_INTERVAL.toNanos());
		}
	}

	/** Access of sessions to Artemis. */
	private final class Delegate implements OrdinaryBroker {

		@Override
		public void copySubscriptions(String clientId, SubscriptionConsumer target) {
			MqttBroker.this.artemis.copySubscriptions(clientId, target);
		}

		@Override
		public void guardWill(Channel connection, @Nullable BooleanSupplier condition) {
			MqttBroker.this.artemis.guardWill(connection, condition);
		}

		@Override
		public ClientIdClaim claim(Channel connection, ClaimRequest request) {
			return MqttBroker.this.artemis.claim(connection, request);
		}

		@Override
		public void publish(OutgoingMessage reply) {
			MqttBroker.this.artemis.publish(reply);
		}

	}

}
