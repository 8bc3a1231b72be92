package io.statestore.broker.gateway;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.packet.LoopTasks;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.packet.Requests;
import io.statestore.broker.principal.PrincipalStatistics;
import io.statestore.broker.security.Permissions;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.ClusterOperations;
import io.statestore.broker.server.ConnectionStatistics;
import io.statestore.broker.server.DurabilityStatistics;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.broker.server.SecurityStatistics;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreStatistics;
import io.statestore.mqtt.Publish;
import io.statestore.protocol.Administration;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A state store for any MQTT 5 broker. It connects as an ordinary client and replies to
 * the requests that clients publish. docs/deployment.md lists what an ordinary client
 * cannot do.
 * <p>
 * {@link StateStoreGatewayBuilder#start()} fails if the broker is unavailable or another
 * state store serves it. Afterward, the gateway keeps trying to reconnect. Meanwhile, the
 * broker keeps requests for a minute, and drops requests whose message expiry passes. If
 * another gateway has taken over, this gateway stops permanently.
 * <p>
 * Keys and values are kept either in memory, where they are lost when the gateway is
 * closed, or in a {@linkplain StateStoreGatewayBuilder#storage directory}. Watches and an
 * upper bound for versions are retained on the broker. The next gateway resumes the
 * watches and sends each watcher its keys' current values or deletions. Its versions are
 * greater than all earlier versions.
 * <p>
 * Thread-safe.
 */
public final class StateStoreGateway implements AutoCloseable, GatewayNode.Gateway {

	private static final Logger logger = LoggerFactory.getLogger(StateStoreGateway.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	/** Reason codes with which a broker refuses a message that it may accept later. */
	private static final Set<Integer> TEMPORARY = Set.of(0x80, 0x83, 0x97);

	private final CompletableFuture<Void> stopped = new CompletableFuture<>();

	private final GatewaySettings settings;

	private final StateStoreServer server;

	private final MultiThreadIoEventLoopGroup group;

	private final BrokerLink link;

	private final LoopTasks tasks;

	private final RetainedWatchers watchers = new RetainedWatchers(this::retain);

	private final GatewayClients clients;

	private final Resynchronizer resynchronizer;

	private final EventLoop loop;

	private final LongSupplier wallClock;

	private final @Nullable ClusterOperations cluster;

	private GatewayStatus status;

	/**
	 * Whether the connection has ended. The status is written again on the next
	 * connection.
	 */
	private boolean disconnected;

	/**
	 * Creates a gateway.
	 * @param cluster the cluster that closes the server, or {@code null} if the gateway
	 * does
	 */
	StateStoreGateway(GatewaySettings settings, StateStoreServer server, @Nullable ClusterOperations cluster,
			Permissions permissions, LongSupplier wallClock, LongSupplier nanoClock) {
		this.settings = settings;
		this.cluster = cluster;
		this.server = server;
		this.group = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("statestore-gateway"),
				NioIoHandler.newFactory());
		this.wallClock = wallClock;
		this.status = new GatewayStatus(GatewayStatus.Contents.NONE, wallClock, (payload) -> {
		});
		this.loop = this.group.next();
		this.link = new BrokerLink(this.loop, settings, new BrokerEvents(), () -> this.stopped.complete(null));
		this.tasks = new LoopTasks(this.loop, false, this.link::flush, server::fail);
		this.clients = new GatewayClients(server, this.watchers, settings.budget(), settings.watchLease(), nanoClock,
				new ClientSender(), permissions);
		this.resynchronizer = new Resynchronizer(this.loop, this.tasks, this.link, this.clients);
		long tick = Math.max(50, Math.min(30_000, settings.watchLease().toMillis() / 10));
		server.failure().thenAccept(this::failed);
		// The executor would cancel a task that fails, so these tasks log failures
		// instead.
		this.loop.scheduleAtFixedRate(() -> this.tasks.execute(this.clients::expire), tick, tick,
				TimeUnit.MILLISECONDS);
	}

	/**
	 * Returns a new builder.
	 * @return a builder with default settings
	 */
	public static StateStoreGatewayBuilder builder() {
		return new StateStoreGatewayBuilder();
	}

	/** Connects and waits until requests are served. Throws the cause if that fails. */
	void start() {
		CompletableFuture.supplyAsync(this.link::start, this.tasks::execute).thenCompose(Function.identity()).join();
	}

	/**
	 * Disconnects without waiting. The session keeps requests for a minute.
	 * <p>
	 * Internal: not part of the API.
	 */
	@Override
	public void disconnect() {
		this.tasks.execute(this.link::close);
	}

	private void failed(Error error) {
		this.stopped.completeExceptionally(error);
		this.tasks.execute(this.link::close);
	}

	/** Writes a page of watches. */
	private void retain(int number, byte[] payload, IntConsumer acknowledged) {
		this.status.writing(number);
		publish(GatewayMessages.own(GatewayTopics.page(number), payload, true), acknowledged);
	}

	private void retainStatus(byte[] payload) {
		if (this.disconnected) {
			return;
		}
		publish(GatewayMessages.own(GatewayTopics.STATUS, payload, true), (reason) -> {
			if (ReasonCodes.isFailure(reason)) {
				clientLog.warn(
						"The broker refused to retain the status (reason 0x{}): versions may decrease when the gateway "
								+ "restarts. Allow the gateway to publish retained messages on '{}'",
						Integer.toHexString(reason), GatewayTopics.STATUS);
			}
		});
	}

	private void publish(OwnPublish publish, IntConsumer acknowledged) {
		this.link.outbox().publishOwn(publish, acknowledged);
		this.link.flush();
	}

	/**
	 * Starts the versions after an earlier gateway's versions, unless those are too far
	 * ahead.
	 * @return the status contents to continue with
	 */
	private GatewayStatus.Contents startVersions(GatewayStatus.Contents contents) {
		long lead = contents.versions() - this.wallClock.getAsLong();
		if (lead <= GatewayStatus.MAX_LEAD_MILLIS) {
			this.server.startAfter(new Version(contents.versions(), 0, StateMachine.BEFORE_ALL.nodeId()));
			return contents;
		}
		logger.warn(
				"The versions of an earlier gateway are up to {} s ahead of the system clock. New versions start "
						+ "at the system clock, so they are lower than earlier versions. Check this machine's clock",
				lead / 1_000);
		return new GatewayStatus.Contents(0, contents.groups());
	}

	private void reply(GatewayClient client, OutgoingMessage message) {
		Outbox.Message reply = this.link.outbox().reserve(toPublish(message), client.queue(), (reason) -> {
		});
		if (reply == null) {
			clientLog
				.warn("Dropped a reply to client '{}': the memory of messages waiting for the broker is exhausted. "
						+ "Check the connection to the broker, or raise --memory-per-client", client);
			return;
		}
		client.held().send(() -> publish(message, reply));
	}

	/**
	 * Notifies a client, unless it will be notified of a later value.
	 * @param requests number of the client's requests when the server sent the
	 * notification
	 */
	private void notify(GatewayClient client, Bytes key, OutgoingMessage message, int requests) {
		if (!this.clients.isPresent(client)) {
			return;
		}
		if (client.stale().contains(key)) {
			this.link.outbox().countDropped();
			return;
		}
		OwnPublish publish = toPublish(message);
		if (!this.link.outbox().fits(publish)) {
			clientLog.warn("Ended a watch of client '{}': a notification of {} bytes exceeds the memory of one "
					+ "client. Raise --memory-per-client", client, publish.size());
			this.clients.endWatch(client, key);
			return;
		}
		Outbox.Message notification = this.link.outbox()
			.reserve(publish, client.queue(), (reason) -> acknowledged(client, key, message.topic(), requests, reason));
		if (notification == null) {
			clientLog.warn("Dropped a notification to client '{}': the memory of messages waiting for the broker is "
					+ "exhausted. The client will be notified of the latest value. Check the connection to the broker, "
					+ "or raise --memory-per-client", client);
			this.clients.missed(client, key);
			this.resynchronizer.missed(this.link.outbox().size() == 0);
			return;
		}
		client.held().send(() -> {
			if (this.clients.isPresent(client)) {
				publish(message, notification);
			}
			else {
				this.link.outbox().release(notification);
			}
		});
	}

	private OwnPublish toPublish(OutgoingMessage message) {
		return GatewayMessages.toClient(message, this.settings.watchLease().toSeconds());
	}

	private void publish(OutgoingMessage message, Outbox.Message queued) {
		this.status.sending(message);
		this.link.outbox().publish(queued);
	}

	private void acknowledged(GatewayClient client, Bytes key, String topic, int requests, int reason) {
		if (reason == 0) {
			this.clients.subscriberFound(client);
		}
		else if (reason == ReasonCodes.NO_MATCHING_SUBSCRIBERS) {
			this.clients.subscriberMissing(client, topic, requests);
		}
		else if (TEMPORARY.contains(reason)) {
			clientLog.warn("The broker refused a notification to client '{}' temporarily (reason 0x{}). The client "
					+ "will be notified of the latest value", client, Integer.toHexString(reason));
			this.clients.missed(client, key);
			this.resynchronizer.missed(true);
		}
		else if (ReasonCodes.isFailure(reason) && this.clients.isPresent(client)) {
			clientLog.warn(
					"Ended a watch of client '{}': the broker refused its notification (reason 0x{}). Check the "
							+ "broker's access control list and maximum packet size",
					client, Integer.toHexString(reason));
			this.clients.endWatch(client, key);
		}
	}

	/**
	 * Returns whether requests are currently served.
	 * @return whether the gateway is connected and subscribed
	 */
	@Override
	public boolean isServing() {
		return this.link.isServing();
	}

	/**
	 * Returns this gateway's current content, its limits, and the number of times that
	 * each limit was reached. Never blocks, even after a failure or {@link #close()}.
	 * @return a snapshot
	 */
	@Override
	public StateStoreStatistics statistics() {
		return new StateStoreStatistics(this.server.statistics(), this.settings.budget().statistics(),
				PrincipalStatistics.NONE, ConnectionStatistics.NONE,
				new SecurityStatistics(0, 0, this.server.deniedRequests(), 0));
	}

	/**
	 * Returns the state of the command log in this gateway's directory. Never blocks,
	 * even after a failure or {@link #close()}.
	 * @return a snapshot, empty if the data is kept in memory only
	 */
	public Optional<DurabilityStatistics> durability() {
		return this.server.durability();
	}

	/**
	 * Returns a future that completes when this gateway has stopped permanently: it was
	 * closed, or another state store serves the broker's clients. The future fails if an
	 * error such as exhausted memory stopped the gateway. Close the gateway in that case.
	 * @return a copy of the future
	 */
	@Override
	public CompletableFuture<Void> stopped() {
		return this.stopped.copy();
	}

	/**
	 * Disconnects and stops. Data in memory is lost. Later calls have no effect.
	 */
	@Override
	public void close() {
		if (!this.group.isShuttingDown()) {
			this.tasks.execute(this.link::close);
			this.group.shutdownGracefully(50, 2_000, TimeUnit.MILLISECONDS).awaitUninterruptibly();
			if (this.cluster == null) {
				this.server.close();
			}
			this.stopped.complete(null);
		}
	}

	/** Handles broker events on the event loop. */
	private final class BrokerEvents implements BrokerLink.Listener {

		@Override
		public void restored(Retained retained) {
			StateStoreGateway gateway = StateStoreGateway.this;
			GatewayStatus.Contents contents = gateway.startVersions(retained.status());
			if (retained.writable()) {
				gateway.status = new GatewayStatus(contents, gateway.wallClock, gateway::retainStatus);
			}
			else {
				gateway.watchers.stopRetaining();
			}
			gateway.watchers.load(retained.pages());
			gateway.clients.restore(retained);
			gateway.resynchronizer.start();
		}

		@Override
		public void connected() {
			StateStoreGateway gateway = StateStoreGateway.this;
			if (gateway.disconnected) {
				// The broker may have restored an earlier state together with the
				// session.
				gateway.disconnected = false;
				gateway.status.write();
				gateway.watchers.reconnected();
			}
		}

		@Override
		public void disconnected() {
			StateStoreGateway.this.disconnected = true;
			StateStoreGateway.this.watchers.disconnected();
		}

		@Override
		public void received(Publish publish, Runnable done) {
			StateStoreGateway gateway = StateStoreGateway.this;
			String responseTopic = publish.responseTopic();
			ClientIdentity identity = ClientIdentity.of(Requests.userProperties(publish), responseTopic);
			if (responseTopic != null && !ResponseTopics.isSafe(responseTopic)) {
				clientLog.warn(
						"Ignored a request of client '{}': its response topic could end the connection of the gateway",
						identity.clientId());
				gateway.tasks.execute(done);
				return;
			}
			// The client's held messages do not delay the acknowledgment; otherwise, the
			// broker would hold back all other requests.
			Function<GatewayClient, IncomingRequest> request = (client) -> Requests.of(publish, client,
					(reason) -> gateway.tasks.execute(() -> {
						client.answered();
						done.run();
					}));
			if (publish.topic().equals(Administration.REQUEST_TOPIC)) {
				// The session may still have an earlier gateway's subscription, so the
				// setting is checked here.
				gateway.clients.administer(identity, gateway.settings.administration(), gateway.cluster, request);
			}
			else {
				gateway.clients.request(identity, request);
			}
		}

	}

	/** Receives the server's messages for clients, on any thread. */
	private final class ClientSender implements GatewayClient.Sender {

		@Override
		public void send(GatewayClient client, OutgoingMessage message) {
			StateStoreGateway gateway = StateStoreGateway.this;
			int requests = client.requests();
			Bytes key = (message.kind() == Kind.NOTIFICATION) ? Topics.notifiedKey(client.clientId(), message.topic())
					: null;
			gateway.tasks.execute((key != null) ? () -> gateway.notify(client, key, message, requests)
					: () -> gateway.reply(client, message));
		}

		@Override
		public void watching(GatewayClient client, Bytes key) {
			StateStoreGateway.this.tasks.execute(() -> StateStoreGateway.this.clients.watching(client, key));
		}

		@Override
		public void watchEnded(GatewayClient client, Bytes key) {
			StateStoreGateway.this.tasks.execute(() -> StateStoreGateway.this.clients.watchEnded(client, key));
		}

	}

}
