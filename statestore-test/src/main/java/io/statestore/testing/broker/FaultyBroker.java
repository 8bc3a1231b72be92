package io.statestore.testing.broker;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Predicate;

import io.statestore.broker.memory.HeapPlan;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.mqtt.ClientListener;
import io.statestore.broker.mqtt.MqttBroker;
import io.statestore.broker.mqtt.MqttBrokerSettings;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreServerOptions;
import org.jspecify.annotations.Nullable;

/**
 * A store behind an MQTT broker that can restart on the same port. Clients' messages pass
 * through connections that faults can affect. Thread-safe.
 */
final class FaultyBroker implements ClientListener, AutoCloseable {

	static final String HOST = "localhost";

	private static final int MAX_PACKET_SIZE = 16 * 1024 * 1024;

	private final Limits limits = HeapPlan.ofThisJvm().limits();

	private final ScheduledExecutorService threads = new ScheduledThreadPoolExecutor(1, (task) -> {
		Thread thread = new Thread(task, "statestore-test-delay");
		thread.setDaemon(true);
		return thread;
	});

	private final Map<ClientConnection, FaultyConnection> connections = new ConcurrentHashMap<>();

	final FaultRules rules = new FaultRules();

	final ContentReset content;

	/** Clients that a fault has disconnected and that have not reconnected yet. */
	final Set<String> absent = ConcurrentHashMap.newKeySet();

	final StateStoreServerOptions options;

	/** Scheduler for the ends of message delays. */
	final ScheduledExecutorService delays;

	private final int port;

	private volatile StateStoreServer server;

	/** Whether new connections are closed immediately. */
	private volatile boolean refusing;

	/** Running broker; {@code null} while stopped. */
	private @Nullable MqttBroker mqtt;

	/** Occupies the port while the broker is stopped. */
	private @Nullable PortGuard guard;

	private boolean closed;

	/**
	 * Starts a broker.
	 * @param port port to listen on, 0 for any free port
	 * @param options options of the store
	 * @throws IllegalStateException if the broker cannot listen
	 */
	FaultyBroker(int port, StateStoreServerOptions options) {
		this.options = options;
		this.content = new ContentReset(options.wallClock());
		this.delays = options.time().timer(this.threads);
		this.server = new StateStoreServer(options);
		MqttBroker mqtt;
		try {
			mqtt = listen(port);
		}
		catch (RuntimeException ex) {
			this.server.close();
			throw ex;
		}
		this.mqtt = mqtt;
		this.port = mqtt.port();
	}

	private MqttBroker listen(int port) {
		int packetSize = (int) Math.min(MAX_PACKET_SIZE, this.limits.newBudget().maxBytesPerClient());
		MqttBrokerSettings settings = new MqttBrokerSettings(HOST, port, packetSize).withTime(this.options.time());
		return MqttBroker.start(settings, this, this.limits.newBudget());
	}

	int port() {
		return this.port;
	}

	/** Returns the current store, which a restart may replace. */
	StateStoreServer server() {
		return this.server;
	}

	/** Sets whether new connections are closed immediately. */
	void refuse(boolean refusing) {
		this.refusing = refusing;
	}

	List<String> clientIds() {
		return this.connections.keySet().stream().map(ClientConnection::clientId).sorted().toList();
	}

	/**
	 * Ends connections like a network failure.
	 * @param clients selects the clients by client ID
	 * @return whether any selected client was connected
	 */
	boolean cut(Predicate<String> clients) {
		List<FaultyConnection> selected = this.connections.values()
			.stream()
			.filter((connection) -> clients.test(connection.clientId()))
			.toList();
		selected.forEach(FaultyConnection::cut);
		return !selected.isEmpty();
	}

	/** Stops the broker, which ends all connections, but keeps its port occupied. */
	synchronized void stop() {
		if (this.mqtt != null) {
			this.absent.addAll(clientIds());
			this.mqtt.close();
			this.mqtt = null;
			this.guard = new PortGuard(HOST, this.port);
		}
	}

	/** Starts a stopped broker on its port. Does nothing if it is running or closed. */
	synchronized void start() {
		if (this.mqtt != null || this.closed) {
			return;
		}
		releasePort();
		try {
			this.mqtt = listen(this.port);
		}
		catch (IllegalStateException ex) {
			throw new IllegalStateException("The broker of the test could not restart on its port " + this.port
					+ ". Another process may have taken the port in the meantime. Run the test again", ex);
		}
	}

	/**
	 * Restarts the broker.
	 * @param keepsContent whether the store keeps its content
	 */
	synchronized void restart(boolean keepsContent) {
		stop();
		if (!keepsContent && !this.closed) {
			this.server.close();
			this.server = new StateStoreServer(this.options);
		}
		start();
	}

	private void releasePort() {
		if (this.guard != null) {
			this.guard.close();
			this.guard = null;
		}
	}

	@Override
	public void connected(ClientConnection connection) {
		if (this.refusing) {
			connection.abort();
			return;
		}
		FaultyConnection faulty = new FaultyConnection(connection, this.server, this);
		this.connections.put(connection, faulty);
		faulty.connected();
		this.absent.remove(connection.clientId());
	}

	@Override
	public void disconnected(ClientConnection connection) {
		Optional.ofNullable(this.connections.remove(connection)).ifPresent(FaultyConnection::disconnected);
	}

	@Override
	public void request(IncomingRequest request) {
		Optional.ofNullable(this.connections.get(request.connection())).ifPresent((faulty) -> faulty.request(request));
	}

	@Override
	public void administer(IncomingRequest request, boolean local) {
		Optional.ofNullable(this.connections.get(request.connection()))
			.ifPresent((faulty) -> faulty.administer(request, local));
	}

	@Override
	public void failed(Error error) {
		this.server.fail(error);
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		releasePort();
		if (this.mqtt != null) {
			this.mqtt.close();
			this.mqtt = null;
		}
		this.server.close();
		this.threads.shutdownNow();
	}

}
