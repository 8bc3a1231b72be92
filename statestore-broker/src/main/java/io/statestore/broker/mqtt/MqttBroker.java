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
 * An MQTT 5 broker. Passes state store requests to a {@link ClientListener} and delivers
 * ordinary messages through MQTT sessions, which are kept in memory unless a log is
 * given. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public final class MqttBroker implements AutoCloseable {

	/** How long to wait for clients to disconnect before the broker stops. */
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
	 * @param settings the address to listen on and the limits
	 * @param listener receives state store requests
	 * @param budget limits the memory of clients
	 * @return the broker, which already accepts clients
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
	 * @param settings the address to listen on and the limits
	 * @param listener receives state store requests
	 * @param budget limits the memory of clients
	 * @param log the log of MQTT sessions, {@code null} to keep them in memory
	 * @return the broker, which already accepts clients
	 * @throws IllegalStateException if it cannot listen on the address; the message
	 * contains host, port, and reason
	 */
	public static MqttBroker start(MqttBrokerSettings settings, ClientListener listener, MemoryBudget budget,
			@Nullable SessionLog log) {
		return new MqttBroker(settings, listener, budget, log).start(budget, null);
	}

	/**
	 * Starts a broker that receives connections only through {@link #accept}.
	 * @param settings the limits; the address is not used
	 * @param listener receives state store requests
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
	 * Accepts a connection, or closes it if the broker is stopping. Must be called on the
	 * connection's event loop.
	 * @param connection an open connection without client handlers
	 */
	public void accept(Channel connection) {
		Objects.requireNonNull(this.endpoint, "not listening").accept(connection);
	}

	/**
	 * Adds the handlers to an accepted connection. Called on the connection's event loop.
	 * @param connection a connection that the endpoint has prepared
	 * @param memory the client's memory share
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
	 * Returns the numbers of connections and connection failures.
	 * @return a snapshot
	 */
	public ConnectionStatistics connections() {
		return (this.endpoint != null) ? this.endpoint.statistics() : ConnectionStatistics.NONE;
	}

	/**
	 * Returns how many messages, subscription filters, wills, and response topics were
	 * denied.
	 * @return the number since the broker started
	 */
	public long deniedTopics() {
		return this.audit.count(AuditEvent.DENIED);
	}

	/**
	 * Returns an administrator's operations on sessions.
	 * @return the operations
	 */
	public SessionOperations sessions() {
		return this.server;
	}

	/**
	 * Returns the client logins.
	 * @return the logins, for statistics
	 */
	public Logins logins() {
		return this.logins;
	}

	/**
	 * Ends all connections immediately and stops listening, without waiting. The caller
	 * must then call {@link #close()} on a thread that may block.
	 * @param stopped runs once the broker no longer listens
	 */
	public void abort(Runnable stopped) {
		this.server.prepareStop();
		Objects.requireNonNull(this.endpoint, "not listening").pause().addListener((closed) -> stopped.run());
		this.links.forEach(ClientLink::abort);
	}

	/** Disconnects all clients and stops. Later calls have no effect. */
	@Override
	public void close() {
		close(ReasonCodes.SERVER_SHUTTING_DOWN, "the server is shutting down");
	}

	/**
	 * Stops as {@link #close()} does, but tells clients to use another server. Does not
	 * name one, because the next leader may be unknown, and clients may know it by
	 * another name.
	 * @param reason why clients have to reconnect
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

	/** Sends a DISCONNECT to all clients and waits until their connections have ended. */
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
