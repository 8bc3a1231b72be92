package io.statestore.broker.mqtt;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.util.AttributeKey;
import io.statestore.broker.artemis.ClientIdClaim;
import io.statestore.broker.artemis.ConnectionInitializer;
import io.statestore.broker.artemis.session.ClaimRequest;
import io.statestore.broker.artemis.session.ClaimResult;
import io.statestore.broker.artemis.session.SubscriptionConsumer;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.session.MemorySessionLog;
import io.statestore.broker.session.Message;
import io.statestore.broker.session.Session;
import io.statestore.broker.session.SessionChange;
import io.statestore.broker.session.SessionLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves ordinary MQTT messages, those that are not state store requests, from sessions
 * kept in memory. The broker does not use it yet because it does not limit sessions,
 * subscriptions, retained messages, or queued messages. Thread-safe.
 */
final class SessionServer implements OrdinaryServer {

	private static final Logger logger = LoggerFactory.getLogger(SessionServer.class);

	/** Attribute of a connection: the condition under which its will is published. */
	static final AttributeKey<BooleanSupplier> WILL = AttributeKey.valueOf(SessionServer.class, "will");

	/** Attribute of a connection: the name of its principal. */
	static final AttributeKey<String> PRINCIPAL = AttributeKey.valueOf(SessionServer.class, "principal");

	private static final String HANDLER = "statestore-session";

	private static final long EXPIRY_MILLIS = 50;

	private static final long SWEEP_SECONDS = 5;

	private final int maxPacketSize;

	private final SessionLog log;

	private final Consumer<Error> failed;

	private final ClientIdOwners owners;

	/** Connections by client id. */
	private final Map<String, SessionHandler> connections = new ConcurrentHashMap<>();

	/** Conditions under which wills are published, by client id. */
	private final Map<String, BooleanSupplier> conditions = new ConcurrentHashMap<>();

	private final ScheduledExecutorService timer;

	private @Nullable ConnectionInitializer initializer;

	private volatile boolean stopping;

	SessionServer(int maxPacketSize, LongSupplier nanoTime, Consumer<Error> failed) {
		this.maxPacketSize = maxPacketSize;
		this.failed = failed;
		this.log = new MemorySessionLog(nanoTime);
		this.owners = new ClientIdOwners((clientId) -> this.log.sessions().find(clientId) != null);
		this.timer = Executors.newSingleThreadScheduledExecutor((task) -> {
			Thread thread = new Thread(task, "statestore-sessions");
			thread.setDaemon(true);
			return thread;
		});
	}

	@Override
	public void start(ConnectionInitializer initializer) {
		this.initializer = initializer;
		this.timer.scheduleWithFixedDelay(this::expire, EXPIRY_MILLIS, EXPIRY_MILLIS, TimeUnit.MILLISECONDS);
		this.timer.scheduleWithFixedDelay(this::sweep, SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
	}

	private void expire() {
		attempt(() -> this.log.expire((clientId) -> !mayPublishWill(clientId)));
	}

	/** Forgets clients without a connection or session. */
	private void sweep() {
		attempt(() -> {
			this.owners.sweep();
			this.conditions.keySet().removeIf((clientId) -> this.log.sessions().find(clientId) == null);
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

	@Override
	public void accept(Channel connection, ClientShare memory) {
		ConnectionInitializer initializer = this.initializer;
		if (initializer == null || this.stopping) {
			throw new IllegalStateException("The MQTT broker is not started");
		}
		ChannelPipeline pipeline = connection.pipeline();
		SessionHandler handler = new SessionHandler(this, memory);
		pipeline.addLast("statestore-codec", new MqttDecoder(this.maxPacketSize));
		pipeline.addLast(MqttEncoder.INSTANCE);
		pipeline.addLast(HANDLER, handler);
		// Nothing queues packets, so there is no backlog to report.
		initializer.initialize(pipeline, HANDLER, memory);
	}

	SessionLog log() {
		return this.log;
	}

	int maxPacketSize() {
		return this.maxPacketSize;
	}

	/** Returns whether a will of an earlier connection of a client may be published. */
	boolean mayPublishWill(String clientId) {
		BooleanSupplier condition = this.conditions.get(clientId);
		return condition == null || condition.getAsBoolean();
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
	public void copySubscriptions(String clientId, SubscriptionConsumer target) {
		Session session = this.log.sessions().find(clientId);
		if (session != null) {
			session.subscriptions()
				.values()
				.forEach((each) -> target.accept(each.filter(), each.qos(),
						(each.identifier() != 0) ? each.identifier() : null));
		}
	}

	@Override
	public void guardWill(Channel connection, @Nullable BooleanSupplier condition) {
		connection.attr(WILL).set(condition);
	}

	@Override
	public ClientIdClaim claim(Channel connection, ClaimRequest request) {
		connection.attr(PRINCIPAL).set(request.principal());
		return this.owners.claim(request);
	}

	@Override
	public void publish(OutgoingMessage reply) {
		Message message = Publications.message(reply);
		SessionChange change = this.log.sessions().route(message, 0, 0);
		if (change != null) {
			this.log.append(change, SessionLog.Outcome.NONE);
		}
		SessionHandler.flush();
	}

	@Override
	public boolean hasConnectedClients() {
		return !this.connections.isEmpty();
	}

	@Override
	public boolean hasFailedJournal() {
		return false;
	}

	@Override
	public void prepareStop() {
		this.stopping = true;
	}

	@Override
	public void stop() {
		prepareStop();
		this.timer.shutdownNow();
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
	}

	/** Owners of client ids: a connection, or else a session, belongs to a principal. */
	private static final class ClientIdOwners {

		private final Map<String, Owner> owners = new ConcurrentHashMap<>();

		private final Predicate<String> hasSession;

		ClientIdOwners(Predicate<String> hasSession) {
			this.hasSession = hasSession;
		}

		ClientIdClaim claim(ClaimRequest request) {
			String clientId = request.clientId();
			ClaimResult[] result = { ClaimResult.GRANTED };
			this.owners.compute(clientId, (id, owner) -> {
				result[0] = result(request, owner);
				if (owner != null && result[0] != ClaimResult.GRANTED) {
					return owner;
				}
				return new Owner(request.principal(), ((owner != null) ? owner.connections : 0) + 1, request.arrival());
			});
			if (result[0] != ClaimResult.GRANTED) {
				return ClientIdClaim.refused(result[0]);
			}
			return new ClientIdClaim(() -> this.owners.computeIfPresent(clientId,
					(id, owner) -> new Owner(owner.principal, owner.connections - 1, owner.latest)));
		}

		private ClaimResult result(ClaimRequest request, @Nullable Owner owner) {
			if (owner == null || owner.connections == 0 && !this.hasSession.test(request.clientId())) {
				return ClaimResult.GRANTED;
			}
			boolean adopted = owner.connections == 0 && request.adopts() && owner.principal.isEmpty();
			if (!owner.principal.equals(request.principal()) && !adopted) {
				return ClaimResult.OTHER_OWNER;
			}
			return (request.arrival() < owner.latest) ? ClaimResult.SUPERSEDED : ClaimResult.GRANTED;
		}

		/** Forgets the owners of client ids without a connection or session. */
		void sweep() {
			this.owners.keySet()
				.forEach((clientId) -> this.owners.computeIfPresent(clientId,
						(id, owner) -> (owner.connections == 0 && !this.hasSession.test(id)) ? null : owner));
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
