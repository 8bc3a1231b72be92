package io.statestore.client.mqtt.hivemq;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import com.hivemq.client.internal.mqtt.MqttClientConfig;
import com.hivemq.client.mqtt.MqttClientExecutorConfig;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.exceptions.ConnectionClosedException;
import com.hivemq.client.mqtt.exceptions.MqttClientStateException;
import com.hivemq.client.mqtt.exceptions.MqttSessionExpiredException;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5Connect;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckRestrictions;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult.Mqtt5Qos1Result;
import io.netty.channel.EventLoop;
import io.reactivex.schedulers.Schedulers;
import io.statestore.client.mqtt.link.Link;
import io.statestore.client.mqtt.link.LinkAbortedException;
import io.statestore.client.mqtt.link.LinkMessage;
import io.statestore.client.mqtt.link.LinkOptions;
import io.statestore.client.mqtt.link.LinkResources;
import io.statestore.client.mqtt.link.MessageSink;
import io.statestore.client.mqtt.link.TransferProgress;
import io.statestore.protocol.UserProperties;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A link by the HiveMQ MQTT client. Each link has its own HiveMQ client, which connects
 * once, and one network thread, on which all callbacks run. Neither the client nor a
 * message is ever tried again. A message whose transfer takes longer than the keep-alive
 * interval ends the connection.
 * <p>
 * Internal: not part of the API.
 */
public final class HiveMqLink implements Link {

	private static final Logger logger = LoggerFactory.getLogger(HiveMqLink.class);

	private final CompletableFuture<Void> accepted = new CompletableFuture<>();

	private final CompletableFuture<Throwable> lost = new CompletableFuture<>();

	private final HiveMqMessages messages = new HiveMqMessages();

	private final MessageSink sink;

	private final boolean tls;

	private final @Nullable HiveMqAuthentication authentication;

	private final Mqtt5AsyncClient client;

	/** The network thread of this link. */
	private final EventLoop eventLoop;

	private final AtomicBoolean closed = new AtomicBoolean();

	private volatile int receiveMaximum = Mqtt5ConnAckRestrictions.DEFAULT_RECEIVE_MAXIMUM;

	private volatile @Nullable Long maximumPacketSize;

	private volatile @Nullable String serverReference;

	private volatile @Nullable String leader;

	private HiveMqLink(LinkOptions options, LinkResources resources, MessageSink sink,
			@Nullable HiveMqAuthentication authentication) {
		this.sink = sink;
		this.authentication = authentication;
		this.tls = options.tls() != null;
		this.client = Mqtt5Client.builder()
			.identifier(options.clientId())
			.transportConfig(HiveMqOptions.transport(options))
			.executorConfig(MqttClientExecutorConfig.builder()
				.nettyExecutor((task) -> resources.threads().newThread(task).start())
				.nettyThreads(1)
				// Runs callbacks on the network thread, because all of them only hand
				// over.
				.applicationScheduler(Schedulers.trampoline())
				.build())
			.addDisconnectedListener((context) -> ended(context.getCause()))
			.buildAsync();
		this.eventLoop = config().acquireEventLoop();
	}

	private MqttClientConfig config() {
		return (MqttClientConfig) this.client.getConfig();
	}

	/**
	 * Starts to connect.
	 * @param options address of the broker and options of the connection
	 * @param resources threads and clock
	 * @param sink receives every message
	 * @return a link, to wait for with {@link #accepted()} and to {@link #close()}
	 */
	public static HiveMqLink open(LinkOptions options, LinkResources resources, MessageSink sink) {
		HiveMqAuthentication authentication = HiveMqOptions.authentication(options);
		Mqtt5Connect connect = HiveMqOptions.connect(options, authentication);
		HiveMqLink link = new HiveMqLink(options, resources, sink, authentication);
		link.client.connect(connect).whenComplete(link::connected);
		return link;
	}

	/** Handles CONNACK, before any message arrives. */
	private void connected(@Nullable Mqtt5ConnAck connAck, @Nullable Throwable failure) {
		if (connAck == null) {
			this.accepted.completeExceptionally(
					HiveMqFailures.ofConnect((failure != null) ? failure : new IllegalStateException(), this.tls));
			return;
		}
		// Done only now, because it keeps the network thread until the connection ends.
		this.client.publishes(MqttGlobalPublishFilter.ALL, this::arrived);
		Mqtt5ConnAckRestrictions restrictions = connAck.getRestrictions();
		this.receiveMaximum = restrictions.getReceiveMaximum();
		if (restrictions.getMaximumPacketSize() < Mqtt5ConnAckRestrictions.DEFAULT_MAXIMUM_PACKET_SIZE_NO_LIMIT) {
			this.maximumPacketSize = (long) restrictions.getMaximumPacketSize();
		}
		this.serverReference = HiveMqFailures.text(connAck.getServerReference());
		this.leader = HiveMqMessages.userProperty(connAck.getUserProperties(), UserProperties.LEADER);
		this.accepted.complete(null);
	}

	private void ended(Throwable cause) {
		if (!this.accepted.completeExceptionally(HiveMqFailures.ofConnect(cause, this.tls))) {
			this.lost.complete(HiveMqFailures.ofLoss(cause));
		}
	}

	private void arrived(Mqtt5Publish publish) {
		if (this.lost.isDone()) {
			// The next connection may have begun, and this is not one of its messages.
			return;
		}
		try {
			this.sink.messageArrived(HiveMqMessages.fromHiveMq(publish));
		}
		catch (RuntimeException | Error ex) {
			logger.error("Failed to hand over a message on topic {}", publish.getTopic(), ex);
		}
	}

	@Override
	public CompletableFuture<Void> accepted() {
		return this.accepted;
	}

	@Override
	public CompletableFuture<Throwable> lost() {
		return this.lost;
	}

	@Override
	public void abort(String cause) {
		this.lost.complete(new LinkAbortedException(cause));
		close();
	}

	@Override
	public int receiveMaximum() {
		return this.receiveMaximum;
	}

	@Override
	public @Nullable Long maximumPacketSize() {
		return this.maximumPacketSize;
	}

	@Override
	public @Nullable String serverReference() {
		return this.serverReference;
	}

	@Override
	public @Nullable String leader() {
		return this.leader;
	}

	/**
	 * Returns no progress. The HiveMQ client itself ends a connection that is too slow.
	 */
	@Override
	public TransferProgress progress() {
		return TransferProgress.UNKNOWN;
	}

	@Override
	public Submission publish(LinkMessage message, Acknowledgment acknowledgment) {
		if (this.lost.isDone()) {
			return Submission.NOT_CONNECTED;
		}
		this.client.publish(this.messages.toHiveMq(message))
			.whenComplete((result, failure) -> published(result, failure, acknowledgment));
		return Submission.ACCEPTED;
	}

	private void published(@Nullable Mqtt5PublishResult result, @Nullable Throwable failure,
			Acknowledgment acknowledgment) {
		Throwable error = (failure != null || result == null) ? failure : result.getError().orElse(null);
		if (error instanceof Mqtt5PubAckException refused) {
			acknowledgment.acknowledged(refused.getMqttMessage().getReasonCode().getCode());
		}
		else if (error == null) {
			acknowledgment.acknowledged(
					(result instanceof Mqtt5Qos1Result taken) ? taken.getPubAck().getReasonCode().getCode() : 0);
		}
		else if (!(error instanceof MqttSessionExpiredException || error instanceof ConnectionClosedException
				|| error instanceof MqttClientStateException)) {
			abort(LinkAbortedException.describe("a message could not be sent", error));
		}
		// Otherwise the connection has ended, which lost() reports.
	}

	@Override
	public CompletableFuture<int[]> subscribe(String filter) {
		CompletableFuture<int[]> codes = new CompletableFuture<>();
		this.client.subscribeWith()
			.topicFilter(filter)
			.qos(MqttQos.AT_LEAST_ONCE)
			.send()
			.whenComplete((ack, failure) -> {
				int[] refusal = (failure != null) ? HiveMqFailures.ofSubscribe(failure) : null;
				if (refusal != null) {
					codes.complete(refusal);
				}
				else if (failure != null) {
					codes.completeExceptionally(failure);
				}
				else {
					codes.complete(ack.getReasonCodes().stream().mapToInt((code) -> code.getCode()).toArray());
				}
			});
		return codes;
	}

	@Override
	public CompletableFuture<Void> reauthenticate(byte[] data) {
		if (this.authentication == null) {
			return CompletableFuture.failedFuture(new IllegalStateException("connected without authentication"));
		}
		this.authentication.setData(data);
		return this.client.reauth();
	}

	/** Sends DISCONNECT. The session always ends with the connection. */
	@Override
	public void disconnect(Duration timeout, boolean endSession) throws InterruptedException {
		try {
			this.client.disconnect().get(timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			// Close without DISCONNECT.
		}
		finally {
			close();
		}
	}

	/**
	 * Closes all resources by ending the event loop. The HiveMQ client itself cannot end
	 * a connect in progress, nor a connection whose writer is stuck.
	 */
	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) {
			config().releaseEventLoop();
			this.eventLoop.parent().shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
		}
	}

}
