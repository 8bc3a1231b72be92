package io.statestore.broker.mqtt;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.statestore.broker.login.Logins;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.packet.FrameGuard;
import io.statestore.broker.security.AuditEvent;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.ConnectionStatistics;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.broker.server.SessionOperations;
import io.statestore.broker.session.MemorySessionLog;
import io.statestore.broker.session.SessionLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * An MQTT 5 broker that passes requests to the state store to a {@link ClientListener},
 * and serves ordinary messages from MQTT sessions, which are in memory unless a log is
 * given. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public final class MqttBroker implements AutoCloseable {

	/** Maximum time for clients to disconnect before the broker stops. */
	private static final Duration DISCONNECT_TIMEOUT = Duration.ofMillis(300);

	private static final Duration POLL_INTERVAL = Duration.ofMillis(2);

	private final SessionServer server;

	private final ClientListener listener;

	private final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(ConnectExchange.class));

	private final AuditLog audit = new AuditLog();

	private final Set<ClientLink> links = ConcurrentHashMap.newKeySet();

	private final Logins logins;

	private final AtomicBoolean closed = new AtomicBoolean();

	private @Nullable TcpEndpoint endpoint;

	MqttBroker(MqttBrokerSettings settings, ClientListener listener, MemoryBudget budget, @Nullable SessionLog log) {
		this.server = new SessionServer(settings, (log != null) ? log : inMemory(budget), budget, listener::failed);
		this.logins = new Logins(settings.security().authenticators(), settings.security().anonymous(), settings.time(),
				budget.maxForLogins());
		this.listener = listener;
	}

	/**
	 * Starts a broker that keeps sessions in memory.
	 * @param settings address and limits
	 * @param listener receives the requests to the state store
	 * @param budget limits the memory of clients
	 * @return the broker, which accepts clients
	 * @throws IllegalStateException if it cannot listen on the address; the message
	 * contains host, port, and reason
	 */
	public static MqttBroker start(MqttBrokerSettings settings, ClientListener listener, MemoryBudget budget) {
		return start(settings, listener, budget, null);
	}

	private static SessionLog inMemory(MemoryBudget budget) {
		SessionLog log = new MemorySessionLog(System::nanoTime);
		log.sessions().limit(budget.maxLasting(), budget.maxBytesPerClient());
		return log;
	}

	/**
	 * Starts a broker.
	 * @param settings address and limits
	 * @param listener receives the requests to the state store
	 * @param budget limits the memory of clients
	 * @param log the log of MQTT sessions, {@code null} to keep them in memory
	 * @return the broker, which accepts clients
	 * @throws IllegalStateException if it cannot listen on the address; the message
	 * contains host, port, and reason
	 */
	public static MqttBroker start(MqttBrokerSettings settings, ClientListener listener, MemoryBudget budget,
			@Nullable SessionLog log) {
		return new MqttBroker(settings, listener, budget, log).start(budget, null);
	}

	/**
	 * Starts a broker that receives connections by {@link #accept} only.
	 * @param settings limits
	 * @param listener receives the requests to the state store
	 * @param budget limits the memory of clients
	 * @param endpoint accepts the connections, and outlives the broker
	 * @param log the log of MQTT sessions, {@code null} to keep them in memory
	 * @return the broker
	 * @throws IllegalStateException if the broker cannot start
	 */
	public static MqttBroker behind(NodeEndpoint endpoint, MqttBrokerSettings settings, ClientListener listener,
			MemoryBudget budget, @Nullable SessionLog log) {
		return new MqttBroker(settings, listener, budget, log).start(budget, endpoint.listener().shared());
	}

	private MqttBroker start(MemoryBudget budget, @Nullable TcpListener shared) {
		try {
			this.server.start();
			this.endpoint = new TcpEndpoint(this.server.settings(), budget, this::open, shared);
			return this;
		}
		catch (RuntimeException ex) {
			close();
			throw (ex instanceof IllegalStateException known) ? known
					: new IllegalStateException("Failed to start the MQTT broker", ex);
		}
	}

	/**
	 * Takes over a connection. Closes it if the broker is stopping.
	 * @param connection an open connection without handlers of a client; called on its
	 * event loop
	 */
	public void accept(Channel connection) {
		Objects.requireNonNull(this.endpoint, "not listening").accept(connection);
	}

	/**
	 * Takes over an accepted connection.
	 * @param connection the connection; called on its event loop
	 * @param memory the share of its client
	 * @throws IllegalStateException if the broker is stopping
	 */
	void open(Channel connection, ClientShare memory) {
		if (this.server.isStopping()) {
			throw new IllegalStateException("The MQTT broker is stopping");
		}
		MqttBrokerSettings settings = this.server.settings();
		ChannelPipeline pipeline = connection.pipeline();
		pipeline.addLast(new FrameGuard(settings.maxPacketSize(), settings.maxPropertiesSize(), memory));
		pipeline.addLast(new MqttDecoder(settings.maxPacketSize()));
		pipeline.addLast(MqttEncoder.INSTANCE);
		pipeline.addLast(new ClientHandler((context) -> newExchange(context, memory)));
	}

	private ConnectExchange newExchange(ChannelHandlerContext context, ClientShare memory) {
		MqttConnection connection = new MqttConnection(context, this.server, this.listener, memory, this.audit);
		this.links.add(connection.link());
		context.channel().closeFuture().addListener((closed) -> this.links.remove(connection.link()));
		return new ConnectExchange(connection, this.logins, this.server.owners(), this.clientLog);
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
		return this.audit.count(AuditEvent.DENIED);
	}

	/**
	 * Returns what an administrator can do with the sessions.
	 * @return the operations
	 */
	public SessionOperations sessions() {
		return this.server;
	}

	/**
	 * Returns the logins of clients.
	 * @return the logins, for statistics
	 */
	public Logins logins() {
		return this.logins;
	}

	/**
	 * Ends all connections at once and stops listening, without waiting. To be followed
	 * by {@link #close()}, on a thread that may block.
	 * @param stopped runs when the broker no longer listens
	 */
	public void abort(Runnable stopped) {
		this.server.prepareStop();
		Objects.requireNonNull(this.endpoint, "not listening").pause().addListener((closed) -> stopped.run());
		this.links.forEach(ClientLink::abort);
	}

	/** Disconnects all clients and stops. Has no effect the second time. */
	@Override
	public void close() {
		close(ReasonCodes.SERVER_SHUTTING_DOWN, "the server is shutting down");
	}

	/**
	 * Stops as {@link #close()} does, but tells clients to use another server. Names
	 * none: the next leader may be unknown, and clients may reach it by another name.
	 * @param reason why they have to connect again
	 */
	public void moveClients(String reason) {
		close(ReasonCodes.USE_ANOTHER_SERVER, reason);
	}

	private void close(int reasonCode, String reason) {
		if (!this.closed.compareAndSet(false, true)) {
			return;
		}
		this.server.prepareStop();
		disconnectClients(reasonCode, reason);
		if (this.endpoint != null) {
			this.endpoint.closeConnections();
			this.endpoint.close();
		}
		this.server.close();
		this.logins.close();
	}

	/** Sends a DISCONNECT to all clients, and waits until their sessions have ended. */
	private void disconnectClients(int reasonCode, String reason) {
		if (this.endpoint == null) {
			return;
		}
		this.endpoint.pause().awaitUninterruptibly();
		this.links.forEach((link) -> link.disconnectLater(reasonCode, reason));
		long start = System.nanoTime();
		while (this.server.hasConnectedClients() && System.nanoTime() - start < DISCONNECT_TIMEOUT.toNanos()) {
			LockSupport.parkNanos(POLL_INTERVAL.toNanos());
		}
	}

}
