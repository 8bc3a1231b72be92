package io.statestore.broker.mqtt;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.SessionOperations;
import io.statestore.broker.session.Applied;
import io.statestore.broker.session.Message;
import io.statestore.broker.session.Session;
import io.statestore.broker.session.SessionChange;
import io.statestore.broker.session.SessionListing;
import io.statestore.broker.session.SessionLog;
import io.statestore.broker.session.SessionMemory.User;
import io.statestore.broker.session.Sessions;
import io.statestore.broker.session.Sessions.Losses;
import io.statestore.broker.session.Subscription;
import io.statestore.broker.session.Will;
import io.statestore.protocol.SessionPage;
import io.statestore.protocol.SessionQuery;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves ordinary MQTT messages, those that are not state store requests, from the
 * sessions of a log. Thread-safe.
 */
final class SessionServer implements OrdinaryBroker, SessionOperations {

	private static final Logger logger = LoggerFactory.getLogger(SessionServer.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	private static final int ADMINISTRATIVE_ACTION = 0x98;

	private static final long EXPIRY_MILLIS = 50;

	private static final long SWEEP_SECONDS = 5;

	private final MqttBrokerSettings settings;

	private final SessionLog log;

	private final MemoryBudget budget;

	private final Consumer<Error> failed;

	private final ClientIdOwners owners;

	/** What users hold by their sessions and messages, by the name of the user. */
	private final Map<String, ClientShare> shares = new HashMap<>();

	/** What users had lost when it was last logged. */
	private Losses losses;

	private final Object[] locks = Stream.generate(Object::new).limit(64).toArray();

	/** Connections by client id. */
	private final Map<String, SessionHandler> connections = new ConcurrentHashMap<>();

	/** Conditions under which wills are published, by client id. */
	private final Map<String, BooleanSupplier> conditions = new ConcurrentHashMap<>();

	private final ScheduledExecutorService timer;

	/** Installs the other handlers, {@code null} before the start. */
	private @Nullable MqttConnections clients;

	private volatile boolean stopping;

	/**
	 * Creates a server.
	 * @param settings maximum size of packets, and maximum session expiry
	 * @param log the log of the sessions
	 * @param budget limits the memory of clients, which includes the sessions
	 * @param failed receives an error that a task throws
	 */
	SessionServer(MqttBrokerSettings settings, SessionLog log, MemoryBudget budget, Consumer<Error> failed) {
		this.settings = settings;
		this.failed = failed;
		this.log = log;
		this.budget = budget;
		this.losses = log.sessions().losses();
		this.owners = new ClientIdOwners(log.sessions());
		this.timer = Executors.newSingleThreadScheduledExecutor((task) -> {
			Thread thread = new Thread(task, "statestore-sessions");
			thread.setDaemon(true);
			return thread;
		});
	}

	/**
	 * Starts the server.
	 * @param clients completes the pipeline of each new connection
	 */
	void start(MqttConnections clients) {
		this.clients = clients;
		measure();
		this.timer.scheduleWithFixedDelay(this::expire, EXPIRY_MILLIS, EXPIRY_MILLIS, TimeUnit.MILLISECONDS);
		this.timer.scheduleWithFixedDelay(this::sweep, SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
	}

	private void expire() {
		attempt(() -> {
			this.log.expire((clientId) -> !mayPublishWill(clientId));
			measure();
		});
	}

	/** Adds what users hold by their sessions to the memory of clients. */
	private void measure() {
		Map<String, User> users = this.log.sessions().memory().users();
		users.keySet().forEach((user) -> this.shares.computeIfAbsent(user, this::open));
		this.shares.forEach((user, share) -> {
			User holder = users.get(user);
			long retained = (holder != null) ? holder.retainedBytes() : 0;
			share.set(MemoryUse.RETAINED, retained);
			share.set(MemoryUse.SESSION, (holder != null) ? Math.max(0, holder.bytes() - retained) : 0);
		});
		this.shares.values().removeIf((share) -> share.used() == 0);
		Losses losses = this.log.sessions().losses();
		if (!losses.equals(this.losses)) {
			this.losses = losses;
			clientLog
				.warn("The memory of sessions and retained messages is exhausted, so '{}', who held the most of it, "
						+ "lost some. Since the start, {} sessions, {} retained messages, and {} queued messages were lost. "
						+ "If this persists, check that user, or raise --client-memory or "
						+ "statestore.embedded.client-memory", losses.latest(), losses.sessions(), losses.retained(),
						losses.messages());
		}
	}

	private ClientShare open(String user) {
		ClientShare share = this.budget.open();
		share.setOwner(() -> user);
		return share;
	}

	/** Forgets the conditions of clients without a connection or session. */
	private void sweep() {
		attempt(() -> {
			this.owners.sweep();
			this.conditions.keySet()
				.forEach((clientId) -> this.conditions.computeIfPresent(clientId, (id,
						condition) -> (this.log.sessions().find(id) == null && !isConnected(id)) ? null : condition));
		});
	}

	/** Runs a task. An exception would end its schedule. */
	private void attempt(Runnable task) {
		try {
			task.run();
		}
		catch (RuntimeException ex) {
			logger.error("Failed to end sessions; continuing", ex);
		}
		catch (Error ex) {
			this.failed.accept(ex);
		}
	}

	/** Reports an error to the listener of the broker. */
	void failed(Error error) {
		this.failed.accept(error);
	}

	/**
	 * Takes over an accepted connection.
	 * @param connection the connection; called on its event loop
	 * @param memory the share of its client
	 * @throws IllegalStateException if this server is not started or is stopping
	 */
	void accept(Channel connection, ClientShare memory) {
		MqttConnections clients = this.clients;
		if (clients == null || this.stopping) {
			throw new IllegalStateException("The MQTT broker is not started");
		}
		ChannelPipeline pipeline = connection.pipeline();
		SessionHandler handler = new SessionHandler(this, memory);
		handler.setPendingListener(clients.initialize(pipeline, memory));
		pipeline.addLast(handler);
	}

	SessionLog log() {
		return this.log;
	}

	MqttBrokerSettings settings() {
		return this.settings;
	}

	/** Returns whether a will of an earlier connection of a client may be published. */
	boolean mayPublishWill(String clientId) {
		BooleanSupplier condition = this.conditions.get(clientId);
		if (condition != null) {
			return condition.getAsBoolean();
		}
		// After a restart, the condition is unknown.
		Session session = this.log.sessions().find(clientId);
		Will will = (session != null) ? session.will() : null;
		return session == null || will == null || mayPublish(session, will.message().topic());
	}

	private boolean mayPublish(Session session, String topic) {
		Client client = new Client(session.clientId(),
				session.principal().isEmpty() ? ClientPrincipal.ANONYMOUS : ClientPrincipal.of(session.principal()));
		try {
			return new TopicAccess(client, this.settings.security().permissions(client), null, new AuditLog())
				.mayPublishWill(topic);
		}
		catch (RuntimeException ex) {
			clientLog.error(ex, "Discarded the will of client '{}', because the authorizer failed", session);
			return false;
		}
	}

	/** Returns the lock under which connections of a client are ordered. */
	Object lock(String clientId) {
		return this.locks[Math.floorMod(clientId.hashCode(), this.locks.length)];
	}

	boolean isConnected(String clientId) {
		return this.connections.containsKey(clientId);
	}

	boolean isStopping() {
		return this.stopping;
	}

	/** Registers a connection, and ends an earlier one of the client. */
	void connected(String clientId, SessionHandler connection) {
		SessionHandler earlier = this.connections.put(clientId, connection);
		if (earlier != null) {
			earlier.takenOver();
		}
	}

	void disconnected(String clientId, SessionHandler connection) {
		this.connections.remove(clientId, connection);
	}

	void setCondition(String clientId, @Nullable BooleanSupplier condition) {
		if (condition != null) {
			this.conditions.put(clientId, condition);
		}
		else {
			this.conditions.remove(clientId);
		}
	}

	@Override
	public Collection<Subscription> subscriptions(String clientId) {
		Session session = this.log.sessions().find(clientId);
		return (session != null) ? session.subscriptions().values() : List.of();
	}

	@Override
	public ClientIdClaim claim(ClaimRequest request) {
		return this.owners.claim(request);
	}

	@Override
	public void publish(OutgoingMessage reply) {
		Message message = Publications.message(reply);
		SessionChange change = this.log.sessions().route(message, "", 0, 0, false);
		if (change != null) {
			this.log.append(change, SessionLog.Outcome.NONE);
		}
		SessionDeliveries.endBurst();
	}

	@Override
	public CompletableFuture<SessionPage> page(SessionQuery query) {
		return later(() -> CompletableFuture.completedFuture(SessionListing.page(query, this.log)));
	}

	@Override
	public CompletableFuture<Boolean> end(String clientId) {
		// Checking the permission to publish the will may take a while.
		return later(() -> endNow(clientId));
	}

	private <T> CompletableFuture<T> later(Supplier<CompletableFuture<T>> task) {
		try {
			return CompletableFuture.supplyAsync(() -> {
				try {
					return task.get();
				}
				catch (Error ex) {
					this.failed.accept(ex);
					throw ex;
				}
			}, this.timer).thenCompose(Function.identity());
		}
		catch (RejectedExecutionException ex) {
			return CompletableFuture.failedFuture(new RejectedExecutionException("the MQTT broker is stopping", ex));
		}
	}

	private CompletableFuture<Boolean> endNow(String clientId) {
		CompletableFuture<Boolean> existed = new CompletableFuture<>();
		// The log has this before any later connection of the client.
		synchronized (lock(clientId)) {
			SessionHandler connection = this.connections.get(clientId);
			this.log.append(new SessionChange.End(clientId, mayPublishWill(clientId)), new SessionLog.Outcome() {

				@Override
				public void applied(Applied applied) {
					if (connection != null) {
						connection.disconnectLater(ADMINISTRATIVE_ACTION, "an administrator has ended the session");
					}
					existed.complete(connection != null || applied.unaffected().isEmpty());
				}

				@Override
				public void rejected() {
					existed.completeExceptionally(new RejectedExecutionException("the log of the broker has no space"));
				}

			});
		}
		return existed;
	}

	/** Returns whether at least one MQTT client is connected. */
	boolean hasConnectedClients() {
		return !this.connections.isEmpty();
	}

	/** To be called before clients are disconnected for a stop. */
	void prepareStop() {
		this.stopping = true;
	}

	/** Ends the tasks of this server. */
	void close() {
		this.timer.shutdownNow();
	}

	/** Owners of client ids: a connection, or else a session, belongs to a principal. */
	private static final class ClientIdOwners {

		/** Owners of the client ids of connections and sessions. */
		private final Map<String, Owner> owners = new ConcurrentHashMap<>();

		private final Sessions sessions;

		ClientIdOwners(Sessions sessions) {
			this.sessions = sessions;
		}

		ClientIdClaim claim(ClaimRequest request) {
			String clientId = request.clientId();
			AtomicReference<@Nullable ClientIdClaim> refused = new AtomicReference<>();
			this.owners.compute(clientId, (id, owner) -> {
				refused.set(refusal(request, owner));
				if (refused.get() != null) {
					return owner;
				}
				return new Owner(request.principal(), ((owner != null) ? owner.connections : 0) + 1, request.arrival());
			});
			ClientIdClaim refusal = refused.get();
			return (refusal != null) ? refusal : new ClientIdClaim(() -> this.owners.computeIfPresent(clientId,
					(id, owner) -> new Owner(owner.principal, owner.connections - 1, owner.latest)));
		}

		private @Nullable ClientIdClaim refusal(ClaimRequest request, @Nullable Owner owner) {
			Session session = this.sessions.find(request.clientId());
			boolean connected = owner != null && owner.connections > 0;
			String principal = (owner != null && connected) ? owner.principal
					: (session != null) ? session.principal() : null;
			if (principal == null) {
				return null;
			}
			boolean adopted = !connected && principal.isEmpty() && request.adopts();
			if (!principal.equals(request.principal()) && !adopted) {
				return ClientIdClaim.refused(ClaimResult.OTHER_OWNER, principal);
			}
			return (owner != null && request.arrival() < owner.latest)
					? ClientIdClaim.refused(ClaimResult.SUPERSEDED, principal) : null;
		}

		/** Forgets the owners of client ids without a connection or session. */
		void sweep() {
			this.owners.keySet()
				.forEach((clientId) -> this.owners.computeIfPresent(clientId,
						(id, owner) -> (owner.connections == 0 && this.sessions.find(id) == null) ? null : owner));
		}

		/**
		 * Owner of a client id.
		 *
		 * @param principal name of the principal
		 * @param connections number of open connections with the client id
		 * @param latest arrival number of the latest connection
		 */
		private record Owner(String principal, int connections, long latest) {
		}

	}

}
