package io.statestore.broker.mqtt;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.broker.server.SessionOperations;
import io.statestore.broker.session.Session;
import io.statestore.broker.session.SessionChange;
import io.statestore.broker.session.SessionListing;
import io.statestore.broker.session.SessionLog;
import io.statestore.broker.session.SessionMemory.Losses;
import io.statestore.broker.session.SessionMemory.User;
import io.statestore.broker.session.Sessions;
import io.statestore.broker.session.Will;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.ClientQuery;
import io.statestore.protocol.ConnectedClient;
import io.statestore.protocol.SessionQuery;
import io.statestore.protocol.StoredSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Manages the sessions for ordinary MQTT messages, which are all messages except state
 * store requests. Thread-safe.
 */
final class SessionServer implements SessionOperations {

	private static final Logger logger = LoggerFactory.getLogger(SessionServer.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	private static final long EXPIRY_MILLIS = 50;

	private static final long SWEEP_SECONDS = 5;

	private final MqttBrokerSettings settings;

	private final SessionLog log;

	private final MemoryBudget budget;

	private final Consumer<Error> failed;

	private final ClientIdOwners owners;

	/** Memory of each user's sessions and messages, by user name. */
	private final Map<String, ClientShare> shares = new HashMap<>();

	/** Users' losses as of the latest warning. */
	private Losses losses;

	/** Locks that order each client's connections. Several clients share a lock. */
	private final Object[] locks = Stream.generate(Object::new).limit(64).toArray();

	/** Connections by client id. */
	private final Map<String, Connected> connections = new ConcurrentHashMap<>();

	/** Conditions under which wills are published, by client id. */
	private final Map<String, BooleanSupplier> willConditions = new ConcurrentHashMap<>();

	private final ScheduledExecutorService timer = Executors
		.newSingleThreadScheduledExecutor(new DefaultThreadFactory("statestore-sessions", true));

	private volatile boolean stopping;

	/**
	 * Creates a server.
	 * @param settings maximum packet size and maximum session expiry
	 * @param log the session log
	 * @param budget limits the memory of clients, which includes the sessions
	 * @param failed receives errors thrown by tasks
	 */
	SessionServer(MqttBrokerSettings settings, SessionLog log, MemoryBudget budget, Consumer<Error> failed) {
		this.settings = settings;
		this.failed = failed;
		this.log = log;
		this.budget = budget;
		this.losses = log.sessions().losses();
		this.owners = new ClientIdOwners(log.sessions(), settings.security().anonymous() == AnonymousAccess.NONE);
	}

	/** Starts the server. */
	void start() {
		measure();
		this.timer.scheduleWithFixedDelay(this::expire, EXPIRY_MILLIS, EXPIRY_MILLIS, TimeUnit.MILLISECONDS);
		this.timer.scheduleWithFixedDelay(this::sweep, SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
	}

	private void expire() {
		attempt(() -> {
			this.log.expire((clientId) -> !mayPublishWill(clientId));
			measure();
			warnOfLosses();
		});
	}

	/** Charges the memory of users' sessions to the client budget. */
	private void measure() {
		Map<String, User> users = this.log.sessions().memory().users();
		users.keySet().forEach((user) -> this.shares.computeIfAbsent(user, this::openShare));
		this.shares.forEach((user, share) -> {
			User holder = users.get(user);
			long retained = (holder != null) ? holder.retainedBytes() : 0;
			share.set(MemoryUse.RETAINED, retained);
			share.set(MemoryUse.SESSION, (holder != null) ? Math.max(0, holder.bytes() - retained) : 0);
		});
		this.shares.values().removeIf((share) -> share.used() == 0);
	}

	private void warnOfLosses() {
		Losses losses = this.log.sessions().losses();
		if (!losses.equals(this.losses)) {
			this.losses = losses;
			clientLog
				.warn("The memory of sessions and retained messages is exhausted, so {}, with the largest share of it, "
						+ "lost some. Since startup, {} sessions, {} retained messages, and {} queued messages were lost. "
						+ "If this persists, check that user, or raise --client-memory",
						losses.latest().isEmpty() ? "anonymous clients" : "'" + losses.latest() + "'",
						losses.sessions(), losses.retained(), losses.messages());
		}
	}

	private ClientShare openShare(String user) {
		ClientShare share = this.budget.open();
		share.setOwner(() -> user);
		return share;
	}

	/**
	 * Removes will conditions of clients that have neither a connection nor a session.
	 */
	private void sweep() {
		attempt(() -> {
			this.owners.sweep();
			this.willConditions.keySet()
				.forEach((clientId) -> this.willConditions.computeIfPresent(clientId, (id,
						condition) -> (this.log.sessions().find(id) == null && !isConnected(id)) ? null : condition));
		});
	}

	/** Runs a task and handles exceptions, which would end its schedule. */
	private void attempt(Runnable task) {
		try {
			task.run();
		}
		catch (RuntimeException ex) {
			logger.error("Failed to check sessions and wills for expiry; trying again at the next check. This is a "
					+ "bug: report it with this stack trace", ex);
		}
		catch (Error ex) {
			this.failed.accept(ex);
		}
	}

	ClientIdOwners owners() {
		return this.owners;
	}

	SessionLog log() {
		return this.log;
	}

	MqttBrokerSettings settings() {
		return this.settings;
	}

	/** Returns whether the will of a client's earlier connection may be published. */
	boolean mayPublishWill(String clientId) {
		BooleanSupplier condition = this.willConditions.get(clientId);
		if (condition != null) {
			return condition.getAsBoolean();
		}
		// After a restart, the condition is unknown, so permission is checked again.
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
			clientLog.error(ex,
					"Discarded the will of client '{}', because the authorizer failed. Check the authorizer", session);
			return false;
		}
	}

	/** Returns the lock that orders a client's connections. */
	Object lock(String clientId) {
		return this.locks[Math.floorMod(clientId.hashCode(), this.locks.length)];
	}

	boolean isConnected(String clientId) {
		return this.connections.containsKey(clientId);
	}

	boolean isStopping() {
		return this.stopping;
	}

	/** Registers a connection and ends the client's earlier connection. */
	void connected(Client client, ClientLink link) {
		Connected earlier = this.connections.put(client.clientId(),
				new Connected(client, link, this.settings.time().nanoTime()));
		if (earlier != null) {
			earlier.link().disconnectLater(ReasonCodes.SESSION_TAKEN_OVER, "the client has connected again");
		}
	}

	void disconnected(ClientLink link) {
		this.connections.computeIfPresent(link.clientId(), (id, latest) -> (latest.link() == link) ? null : latest);
	}

	void setWillCondition(String clientId, @Nullable BooleanSupplier condition) {
		this.willConditions.compute(clientId, (id, earlier) -> condition);
	}

	/**
	 * Publishes a reply to the subscribers of its topic.
	 * @param reply the reply, whose own client has no subscription for it
	 */
	void publish(OutgoingMessage reply) {
		SessionChange change = this.log.sessions().routing().route(Publications.message(reply), "", 0, 0, false);
		if (change != null) {
			this.log.append(change, SessionLog.Outcome.NONE);
		}
	}

	@Override
	public CompletableFuture<AdministrationPage<ConnectedClient>> page(ClientQuery query) {
		return later((result) -> result.complete(SessionListing.page(query.token(), this.connections.values(),
				(each) -> each.client().clientId(), (each) -> each.describe(this.settings.time().nanoTime()))));
	}

	@Override
	public CompletableFuture<AdministrationPage<StoredSession>> page(SessionQuery query) {
		return later((result) -> result.complete(SessionListing.page(query, this.log)));
	}

	@Override
	public CompletableFuture<Boolean> end(String clientId) {
		// Checking the permission to publish the will may take a while.
		return later((existed) -> end(clientId, existed));
	}

	private <T> CompletableFuture<T> later(Consumer<CompletableFuture<T>> task) {
		CompletableFuture<T> result = new CompletableFuture<>();
		try {
			this.timer.execute(() -> {
				try {
					task.accept(result);
				}
				catch (RuntimeException ex) {
					result.completeExceptionally(ex);
				}
				catch (Error ex) {
					result.completeExceptionally(ex);
					this.failed.accept(ex);
				}
			});
		}
		catch (RejectedExecutionException ex) {
			result.completeExceptionally(new RejectedExecutionException("the MQTT broker is stopping", ex));
		}
		return result;
	}

	private void end(String clientId, CompletableFuture<Boolean> existed) {
		// Ensures that the log has this change before any later connection of the client.
		synchronized (lock(clientId)) {
			Connected connection = this.connections.get(clientId);
			this.log.append(new SessionChange.End(clientId, mayPublishWill(clientId)),
					new SessionLog.Outcome((applied) -> {
						if (connection != null) {
							connection.link()
								.disconnectLater(ReasonCodes.ADMINISTRATIVE_ACTION,
										"an administrator has ended the session");
						}
						existed.complete(connection != null || applied.unaffected().isEmpty());
					}, () -> existed
						.completeExceptionally(new RejectedExecutionException("the log of the broker has no space"))));
		}
	}

	/** Returns whether at least one MQTT client is connected. */
	boolean hasConnectedClients() {
		return !this.connections.isEmpty();
	}

	/** Must be called before clients are disconnected because the server is stopping. */
	void prepareStop() {
		this.stopping = true;
	}

	/** Stops this server's tasks and releases the sessions' memory. */
	void close() {
		this.timer.execute(() -> this.shares.values().forEach(ClientShare::close));
		this.timer.shutdown();
	}

	/**
	 * A client's current connection.
	 *
	 * @param client the authenticated client
	 * @param link the client's connection
	 * @param since when the client connected, in nanoseconds
	 */
	private record Connected(Client client, ClientLink link, long since) {

		ConnectedClient describe(long now) {
			InetSocketAddress address = this.link.socketAddress();
			ClientPrincipal principal = this.client.principal();
			return new ConnectedClient(this.client.clientId(), principal.isAnonymous() ? null : principal.name(),
					(address != null) ? NetUtil.toSocketAddressString(address) : null,
					Duration.ofNanos(now - this.since));
		}

	}

}
