package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
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
import io.statestore.client.ClientResources;
import org.eclipse.paho.mqttv5.client.MqttClientException;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection by the HiveMQ MQTT client: a client that is never connected twice, with a
 * network thread of its own, a daemon, on which all callbacks run. It neither reconnects
 * nor sends anything again. A message that takes longer than the keep-alive interval ends
 * the connection.
 */
final class HiveMqLink implements Link {

	private static final Logger logger = LoggerFactory.getLogger(HiveMqLink.class);

	private final CompletableFuture<Void> accepted = new CompletableFuture<>();

	private final CompletableFuture<String> lost = new CompletableFuture<>();

	private final HiveMqMessages messages = new HiveMqMessages();

	private final MessageSink sink;

	private final boolean tls;

	private final Mqtt5AsyncClient client;

	/** Runs this connection and nothing else. */
	private final EventLoop eventLoop;

	private final AtomicBoolean closed = new AtomicBoolean();

	private volatile int receiveMaximum = Mqtt5ConnAckRestrictions.DEFAULT_RECEIVE_MAXIMUM;

	private volatile @Nullable Long maximumPacketSize;

	private HiveMqLink(ConnectionOptions options, MessageSink sink) {
		this.sink = sink;
		this.tls = options.tls() != null;
		ThreadFactory threads = ClientResources.daemonThreads("statestore-mqtt-" + options.clientId());
		this.client = Mqtt5Client.builder()
			.identifier(options.clientId())
			.transportConfig(HiveMqOptions.transport(options))
			.executorConfig(MqttClientExecutorConfig.builder()
				.nettyExecutor((task) -> threads.newThread(task).start())
				.nettyThreads(1)
				// On the network thread: all callbacks only hand over.
				.applicationScheduler(Schedulers.trampoline())
				.build())
			.addDisconnectedListener((context) -> ended(context.getCause()))
			.buildAsync();
		this.eventLoop = config().acquireEventLoop();
	}

	private MqttClientConfig config() {
		return (MqttClientConfig) this.client.getConfig();
	}

	/** See {@link Link#open}. */
	static HiveMqLink open(ConnectionOptions options, MessageSink sink) {
		Mqtt5Connect connect = HiveMqOptions.connect(options);
		HiveMqLink link = new HiveMqLink(options, sink);
		link.client.connect(connect).whenComplete(link::connected);
		return link;
	}

	/** Before any message can come. */
	private void connected(@Nullable Mqtt5ConnAck connAck, @Nullable Throwable failure) {
		if (connAck == null) {
			this.accepted.completeExceptionally(
					HiveMqFailures.ofConnect((failure != null) ? failure : new IllegalStateException(), this.tls));
			return;
		}
		// Not before: this holds the network thread until a connection ends.
		this.client.publishes(MqttGlobalPublishFilter.ALL, this::arrived);
		Mqtt5ConnAckRestrictions restrictions = connAck.getRestrictions();
		this.receiveMaximum = restrictions.getReceiveMaximum();
		if (restrictions.getMaximumPacketSize() < Mqtt5ConnAckRestrictions.DEFAULT_MAXIMUM_PACKET_SIZE_NO_LIMIT) {
			this.maximumPacketSize = (long) restrictions.getMaximumPacketSize();
		}
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
		String topic = publish.getTopic().toString();
		try {
			this.sink.messageArrived(topic, HiveMqMessages.toPaho(publish));
		}
		catch (RuntimeException | Error ex) {
			logger.error("Could not hand over a message on topic {}", topic, ex);
		}
	}

	@Override
	public CompletableFuture<Void> accepted() {
		return this.accepted;
	}

	@Override
	public CompletableFuture<String> lost() {
		return this.lost;
	}

	@Override
	public void abort(String cause) {
		this.lost.complete(cause);
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

	/** Not known here; the client itself ends a connection that moves too slowly. */
	@Override
	public boolean lookIsWithinPacket() {
		return false;
	}

	@Override
	public void publish(String topic, MqttMessage message, Acknowledgement acknowledgement) throws MqttException {
		if (this.lost.isDone()) {
			throw new MqttException(MqttClientException.REASON_CODE_CLIENT_NOT_CONNECTED);
		}
		this.client.publish(this.messages.toHiveMq(topic, message))
			.whenComplete((result, failure) -> published(result, failure, acknowledgement));
	}

	private void published(@Nullable Mqtt5PublishResult result, @Nullable Throwable failure,
			Acknowledgement acknowledgement) {
		Throwable error = (failure != null || result == null) ? failure : result.getError().orElse(null);
		if (error instanceof Mqtt5PubAckException refused) {
			acknowledgement.acknowledged(refused.getMqttMessage().getReasonCode().getCode());
		}
		else if (error == null) {
			acknowledgement.acknowledged(
					(result instanceof Mqtt5Qos1Result taken) ? taken.getPubAck().getReasonCode().getCode() : 0);
		}
		else if (!(error instanceof MqttSessionExpiredException || error instanceof ConnectionClosedException
				|| error instanceof MqttClientStateException)) {
			abort("a message could not be sent: " + Failures.describe(error));
		}
		// Otherwise the connection is gone, and its end is told to all at once.
	}

	@Override
	public CompletableFuture<int[]> subscribe(String filter) {
		CompletableFuture<int[]> codes = new CompletableFuture<>();
		this.client.subscribeWith()
			.topicFilter(filter)
			.qos(MqttQos.AT_LEAST_ONCE)
			.send()
			.whenComplete((ack, failure) -> {
				try {
					codes.complete((failure != null) ? HiveMqFailures.ofSubscribe(failure)
							: ack.getReasonCodes().stream().mapToInt((code) -> code.getCode()).toArray());
				}
				catch (Throwable ex) {
					codes.completeExceptionally(ex);
				}
			});
		return codes;
	}

	/** The session always ends with the connection. */
	@Override
	public void disconnect(Duration timeout, boolean endSession) throws InterruptedException {
		try {
			this.client.disconnect().get(timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			// Then without saying goodbye.
		}
		finally {
			close();
		}
	}

	/**
	 * The client itself can end neither a connection that is being made nor one whose
	 * writer is stuck. The end of its event loop ends both.
	 */
	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) {
			config().releaseEventLoop();
			this.eventLoop.parent().shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
		}
	}

}
