package io.statestore.broker.mqtt;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.statestore.broker.memory.MemoryBudget;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTStateManager;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptor;
import org.apache.activemq.artemis.core.server.ServiceRegistry;
import org.apache.activemq.artemis.core.server.impl.ActiveMQServerImpl;
import org.apache.activemq.artemis.core.server.impl.ServiceRegistryImpl;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An MQTT 5 broker that hands the requests to a state store to a {@link ClientListener}
 * and otherwise carries ordinary messages. Keeps everything in memory.
 */
public final class MqttBroker implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(MqttBroker.class);

	private static final int SERVER_SHUTTING_DOWN = 0x8B;

	private static final Duration MAX_GOODBYE = Duration.ofMillis(300);

	private static final Duration POLL = Duration.ofMillis(2);

	/** Interval at which the memory of sessions and topics is compared with Artemis. */
	private static final long SWEEP_MILLIS = 500;

	/** Interval at which queues of shared subscriptions without members are removed. */
	private static final long LEFT_MILLIS = 100;

	/** Number of sweeps between two searches for queues without a session. */
	private static final int SWEEPS_PER_ORPHANS = 10;

	private final MqttBrokerSettings settings;

	private final ActiveMQServerImpl server;

	private final ArtemisBridge bridge;

	private final ConnectionPlugin plugin;

	private final MemoryBudget budget;

	private final SessionLedger sessions;

	private final TopicLedger topics;

	private final OrphanedQueues orphans;

	private final ClientListener listener;

	private final ArtemisThreads threads;

	/** Used only by the sweep. */
	private int sweeps;

	private final AtomicBoolean closed = new AtomicBoolean();

	/** Artemis only logs it. */
	private final AtomicReference<@Nullable Exception> startFailure = new AtomicReference<>();

	private @Nullable TcpEndpoint endpoint;

	private MqttBroker(MqttBrokerSettings settings, ActiveMQServerImpl server, ArtemisThreads threads,
			ClientListener listener, MemoryBudget budget) {
		this.settings = settings;
		this.budget = budget;
		this.server = server;
		this.threads = threads;
		this.listener = listener;
		this.bridge = new ArtemisBridge(server);
		this.sessions = new SessionLedger(budget, this.bridge);
		this.topics = new TopicLedger(server, budget, System::nanoTime);
		this.orphans = new OrphanedQueues(this.bridge, this.sessions.queues());
		this.plugin = new ConnectionPlugin(this.bridge, listener, settings, this.sessions, this.topics);
	}

	/**
	 * Starts a broker.
	 * @param settings where to listen, and limits
	 * @param listener receives the requests to the state store
	 * @param budget limits the memory that clients hold
	 * @return the broker, which accepts clients
	 * @throws IllegalStateException if it cannot listen where it should
	 */
	public static MqttBroker start(MqttBrokerSettings settings, ClientListener listener, MemoryBudget budget) {
		ActiveMQServerImpl server;
		ArtemisThreads threads;
		try {
			Configuration configuration = ArtemisConfiguration.of(settings);
			threads = new ArtemisThreads(configuration.getThreadPoolMaxSize(), listener::failed);
			ServiceRegistry services = new ServiceRegistryImpl();
			services.setExecutorService(threads);
			server = new ActiveMQServerImpl(configuration, null, null, null, services);
		}
		catch (Exception ex) {
			throw new IllegalStateException("The MQTT broker could not be configured", ex);
		}
		MqttBroker broker = new MqttBroker(settings, server, threads, listener, budget);
		try {
			server.registerBrokerPlugin(broker.plugin);
			server.registerBrokerPlugin(broker.topics);
			server.registerActivationFailureListener(broker.startFailure::set);
			AuditLogGuard.start(server);
			server.getManagementService().enableNotifications(false);
			broker.listen();
			return broker;
		}
		catch (Exception ex) {
			broker.close();
			throw (ex instanceof IllegalStateException known) ? known
					: new IllegalStateException("The MQTT broker could not be started", ex);
		}
	}

	private void listen() throws Exception {
		if (!(this.server.getRemotingService()
			.getAcceptor(ArtemisConfiguration.ACCEPTOR) instanceof NettyAcceptor acceptor)) {
			Exception failure = this.startFailure.get();
			throw new IllegalStateException("The MQTT broker did not come up"
					+ ((failure != null) ? ": " + reason(failure) : ". See the errors it has logged before this"),
					failure);
		}
		this.server.replaceQueueFactory(new MqttQueues(this.server, this.orphans));
		this.server.getScheduledPool()
			.scheduleWithFixedDelay(this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
		this.server.getScheduledPool()
			.scheduleWithFixedDelay(() -> attempt(this.orphans::sweepLeft), LEFT_MILLIS, LEFT_MILLIS,
					TimeUnit.MILLISECONDS);
		this.server.getRemotingService().addOutgoingInterceptor(new WillBuffers(this.bridge));
		acceptor.start();
		try {
			this.endpoint = new TcpEndpoint(acceptor, this.settings, this.budget);
		}
		catch (Exception ex) {
			throw new IllegalStateException("The broker cannot listen on " + this.settings.host() + ':'
					+ this.settings.port() + ": " + reason(ex)
					+ ". Stop what uses that port, or give another host or port (0 picks a free one)", ex);
		}
	}

	void sweep() {
		attempt(() -> {
			this.topics.sweep(this.sessions.sweep());
			if (++this.sweeps % SWEEPS_PER_ORPHANS == 0) {
				this.orphans.sweep();
			}
		});
	}

	/** An exception would end the schedule. */
	private void attempt(Runnable sweep) {
		if (this.closed.get()) {
			return;
		}
		try {
			sweep.run();
		}
		catch (RuntimeException ex) {
			if (this.closed.get()) {
				logger.debug("Failed to compare the memory of sessions and topics while the broker closes", ex);
				return;
			}
			logger.warn("Failed to compare the memory of sessions and topics; continuing", ex);
		}
		catch (Error ex) {
			this.listener.failed(ex);
		}
	}

	private static String reason(Throwable failure) {
		Throwable root = failure;
		while (root.getCause() != null) {
			root = root.getCause();
		}
		return (root.getMessage() != null) ? root.getMessage() : root.toString();
	}

	/** The port it listens on. */
	public int port() {
		return Objects.requireNonNull(this.endpoint, "not listening").port();
	}

	/**
	 * Ends all connections at once and stops listening, without waiting. To be followed
	 * by {@link #close()}, on a thread that may wait.
	 * @param stopped runs when the broker no longer listens
	 */
	public void abort(Runnable stopped) {
		Objects.requireNonNull(this.endpoint, "not listening").abort(stopped);
		this.plugin.sessions().forEach(ClientSession::abort);
	}

	/** End all connections and stop. Does nothing the second time. */
	@Override
	public void close() {
		if (!this.closed.compareAndSet(false, true)) {
			return;
		}
		try {
			disconnectClients();
			this.server.stop();
		}
		catch (Exception ex) {
			logger.warn("The MQTT broker did not stop cleanly", ex);
		}
		finally {
			if (this.endpoint != null) {
				this.endpoint.close();
			}
			this.threads.shutdown();
		}
	}

	/** Say goodbye, and let the broker end the sessions before it stops itself. */
	private void disconnectClients() throws Exception {
		if (this.endpoint == null || !this.server.isStarted()) {
			return;
		}
		this.endpoint.pause();
		this.plugin.sessions()
			.forEach((session) -> session.disconnectLater(SERVER_SHUTTING_DOWN, "the server is shutting down"));
		Map<?, ?> clients = MQTTStateManager.getInstance(this.server).getConnectedClients();
		long start = System.nanoTime();
		while (!clients.isEmpty() && System.nanoTime() - start < MAX_GOODBYE.toNanos()) {
			LockSupport.parkNanos(POLL.toNanos());
		}
	}

}
