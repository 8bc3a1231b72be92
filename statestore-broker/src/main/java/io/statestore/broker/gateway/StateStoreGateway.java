package io.statestore.broker.gateway;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.statestore.broker.packet.LoopTasks;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.packet.Requests;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreStatistics;
import org.slf4j.LoggerFactory;

/**
 * A state store for any MQTT 5 broker: connects to it as an ordinary client and answers
 * the requests that come over it. What a client of a broker cannot do is in
 * docs/gateway.md.
 * <p>
 * {@link StateStoreGatewayBuilder#start()} fails if the broker is not there or another
 * state store serves it. Later the gateway reconnects by itself for as long as it takes;
 * the broker keeps requests for a minute meanwhile, and a request whose message expiry
 * passes is dropped. If another gateway has taken over by then, this one stops for good.
 * Everything is kept in memory and is gone when the gateway is closed; versions go on
 * with the wall clock.
 * <p>
 * Safe for use by several threads.
 */
public final class StateStoreGateway implements AutoCloseable {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(StateStoreGateway.class));

	private static final int NO_MATCHING_SUBSCRIBERS = 0x10;

	private static final int REPLY_EXPIRY_SECONDS = 60;

	private final CompletableFuture<Void> stopped = new CompletableFuture<>();

	private final GatewaySettings settings;

	private final StateStoreServer server;

	private final MultiThreadIoEventLoopGroup group;

	private final BrokerLink link;

	private final LoopTasks tasks;

	private final GatewayClients clients;

	StateStoreGateway(GatewaySettings settings, StateStoreServer server, LongSupplier nanoClock) {
		this.settings = settings;
		this.server = server;
		this.group = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("statestore-gateway"),
				NioIoHandler.newFactory());
		EventLoop loop = this.group.next();
		this.link = new BrokerLink(loop, settings, this::received, () -> this.stopped.complete(null));
		this.tasks = new LoopTasks(loop, this.link::flush, server::fail);
		this.clients = new GatewayClients(server, settings.budget(), settings.observationLease(), nanoClock,
				this::send);
		long tick = Math.max(50, Math.min(30_000, settings.observationLease().toMillis() / 10));
		server.failure().thenAccept(this::failed);
		// The executor would cancel a task that fails; these tasks log the failure.
		loop.scheduleAtFixedRate(() -> this.tasks.execute(this.clients::expire), tick, tick, TimeUnit.MILLISECONDS);
	}

	/** Begin to describe a gateway. */
	public static StateStoreGatewayBuilder builder() {
		return new StateStoreGatewayBuilder();
	}

	/** Returns when requests are served; throws what went wrong. */
	void start() {
		CompletableFuture<Void> started = new CompletableFuture<>();
		this.tasks.execute(() -> this.link.start().whenComplete((result, failure) -> {
			if (failure != null) {
				started.completeExceptionally(failure);
			}
			else {
				started.complete(null);
			}
		}));
		started.join();
	}

	private void failed(Error error) {
		this.stopped.completeExceptionally(error);
		this.tasks.execute(this.link::close);
	}

	/** A message has come on the request topic. */
	private void received(MqttPublishMessage publish, Runnable done) {
		IncomingRequest.Acknowledgement acknowledgement = (reason) -> this.tasks.execute(done);
		MqttProperties properties = publish.variableHeader().properties();
		String responseTopic = Packets.property(properties, MqttPropertyType.RESPONSE_TOPIC, String.class);
		ClientIdentity identity = ClientIdentity.of(Requests.userProperties(properties), responseTopic);
		if (responseTopic != null && !ResponseTopics.isSafe(responseTopic)) {
			clientLog.warn("Ignored a request of client '{}': its response topic could cost the gateway its connection",
					identity.clientId());
			acknowledgement.acknowledge(0);
			return;
		}
		this.clients.request(identity, (client) -> Requests.of(publish, client, acknowledgement));
	}

	private void send(GatewayClient client, OutgoingMessage message) {
		boolean notification = message.kind() == Kind.NOTIFICATION;
		int requests = client.requests();
		OwnPublish publish = new OwnPublish(message, 1, List.of(),
				notification ? (int) Math.max(1, this.settings.observationLease().toSeconds()) : REPLY_EXPIRY_SECONDS);
		this.tasks.execute(() -> {
			if (notification && !this.clients.isObserver(client)) {
				return;
			}
			boolean queued = this.link.publish(publish, (reason) -> {
				if (notification && reason == NO_MATCHING_SUBSCRIBERS) {
					this.clients.unheard(client, message.topic(), requests);
				}
			});
			if (!queued) {
				dropped(client, notification);
			}
		});
	}

	/**
	 * A client repeats a request without a reply, but would never miss a notification.
	 */
	private void dropped(GatewayClient client, boolean notification) {
		if (notification) {
			this.clients.overflowed(client);
		}
		else {
			clientLog.warn(
					"Dropped a reply to client '{}': messages that wait for the broker have used up their memory",
					client);
		}
	}

	/**
	 * Whether requests are served right now: connected and subscribed.
	 */
	public boolean isServing() {
		return this.link.isServing();
	}

	/**
	 * Returns what this gateway holds now, its limits, and how often one of them was
	 * reached. Does not wait, also after a failure or {@link #close()}.
	 * @return a snapshot
	 */
	public StateStoreStatistics statistics() {
		return new StateStoreStatistics(this.server.statistics(), this.settings.budget().statistics());
	}

	/**
	 * Completes when this gateway has stopped for good: because it was closed, or because
	 * another state store serves the broker. Completes exceptionally if an error stopped
	 * it, such as exhausted memory; close it then.
	 */
	public CompletableFuture<Void> stopped() {
		return this.stopped.copy();
	}

	/** Disconnect and forget everything. Does nothing the second time. */
	@Override
	public void close() {
		if (!this.group.isShuttingDown()) {
			this.tasks.execute(this.link::close);
			this.group.shutdownGracefully(50, 2_000, TimeUnit.MILLISECONDS).awaitUninterruptibly();
			this.server.close();
			this.stopped.complete(null);
		}
	}

}
