package io.statestore.broker.gateway;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBufUtil;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.statestore.broker.gateway.BrokerConnection.Accepted;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.packet.Packets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what an earlier gateway left on the broker, on a connection of its own. A first
 * publish shows whether the broker reports messages without a subscriber. Then the reader
 * subscribes to one filter after the other. All retained messages of a filter have
 * arrived when a marker, which the reader publishes after the SUBACK, has come back and
 * the broker has been quiet for a moment. Used on the event loop only.
 */
final class RetainedReader implements BrokerConnection.Events {

	private static final Logger logger = LoggerFactory.getLogger(RetainedReader.class);

	/** Some brokers send retained messages later than others published meanwhile. */
	private static final long QUIET_MILLIS = 50;

	private static final long TIMEOUT_MILLIS = 30_000;

	private static final int NO_MATCHING_SUBSCRIBERS = 0x10;

	private static final int FIRST_FAILURE = 0x80;

	private static final int PACKET_ID = 1;

	/** The filters in the order of their subscriptions; groups of pages follow. */
	private static final int MARKER = -2;

	private static final int STATUS = -1;

	private final CompletableFuture<Retained> result = new CompletableFuture<>();

	private final Map<Integer, ObserverPage> pages = new TreeMap<>();

	private final String marker = GatewayTopics.unused();

	private final EventLoop loop;

	private final long maxBytes;

	private GatewayStatus.Contents status = GatewayStatus.Contents.NONE;

	private boolean reportsAbsence;

	private int filter = MARKER;

	/** Messages that have arrived so far. */
	private long messages;

	/** Whether the present group has a page. */
	private boolean found;

	private long bytes;

	private @Nullable BrokerConnection connection;

	private RetainedReader(EventLoop loop, long maxBytes) {
		this.loop = loop;
		this.maxBytes = maxBytes;
	}

	/**
	 * Begins to read. Called on the loop, where the result completes.
	 * @return what is retained; fails with a {@link BrokerException} if the connection
	 * does
	 */
	static CompletableFuture<Retained> read(EventLoop loop, GatewaySettings settings) {
		String clientId = settings.clientId() + "-reader-" + UUID.randomUUID().toString().substring(0, 8);
		RetainedReader reader = new RetainedReader(loop, settings.budget().maxBytes());
		reader.connection = BrokerConnection.open(loop, settings,
				ClientPackets.connect(settings, clientId, true, Duration.ZERO), reader);
		var timeout = loop.schedule(
				() -> reader.ended(new BrokerException("the broker does not deliver its retained messages")),
				TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
		return reader.result.whenComplete((retained, failure) -> timeout.cancel(false));
	}

	@Override
	public void connected(Accepted accepted) {
		if (accepted.retainAvailable()) {
			publish();
		}
		else {
			unavailable("the broker does not retain messages");
		}
	}

	/** Publishes the marker, which has no subscriber yet the first time. */
	private void publish() {
		OwnPublish publish = GatewayMessages.own(this.marker, new byte[] { 0 }, false);
		if (this.connection != null) {
			this.connection.write(publish.toPacket(PACKET_ID));
			this.connection.flush();
		}
	}

	@Override
	public void acknowledged(int packetId, int reasonCode) {
		if (reasonCode >= FIRST_FAILURE) {
			unavailable("the broker does not let the gateway publish to '" + this.marker + "'");
		}
		else if (this.filter == MARKER) {
			this.reportsAbsence = reasonCode == NO_MATCHING_SUBSCRIBERS;
			subscribe();
		}
	}

	private void subscribe() {
		String topic = switch (this.filter) {
			case MARKER -> this.marker;
			case STATUS -> GatewayTopics.STATUS;
			default -> GatewayTopics.group(this.filter);
		};
		this.found = false;
		if (this.connection != null) {
			this.connection.write(ClientPackets.subscribe(topic, PACKET_ID));
			this.connection.flush();
		}
	}

	@Override
	public void subscribed(int reasonCode) {
		if (reasonCode >= FIRST_FAILURE) {
			unavailable("the broker does not let the gateway subscribe to its topics");
		}
		else if (this.filter == MARKER) {
			this.filter = STATUS;
			subscribe();
		}
		else {
			publish();
		}
	}

	@Override
	public void published(MqttPublishMessage publish) {
		this.messages++;
		String topic = publish.variableHeader().topicName();
		if (topic.equals(this.marker)) {
			awaitQuiet(this.messages);
		}
		else if (publish.fixedHeader().isRetain()) {
			retained(topic, ByteBufUtil.getBytes(publish.payload()));
		}
		if (publish.variableHeader().packetId() > 0 && this.connection != null) {
			this.connection.write(Packets.acknowledgement(Packets.MQTT_5, 1, publish.variableHeader().packetId(), 0));
			this.connection.flush();
		}
	}

	private void retained(String topic, byte[] payload) {
		if (topic.equals(GatewayTopics.STATUS)) {
			GatewayStatus.Contents read = GatewayStatus.Contents.decode(payload);
			if (read != null) {
				this.status = read;
			}
			else {
				logger.warn("Ignored a malformed retained message on '{}'", topic);
			}
			return;
		}
		int number = GatewayTopics.pageNumber(topic);
		ObserverPage page = ObserverPage.decode(payload);
		if (number < 0 || page.malformed() > 0) {
			logger.warn(
					"Ignored {} malformed observations in a retained message of group {}. "
							+ "Restrict write access to the topics of the gateway",
					(number < 0) ? "all" : page.malformed(), this.filter);
		}
		this.bytes += payload.length;
		if (number >= 0 && this.bytes <= this.maxBytes) {
			this.found = true;
			this.pages.put(number, page);
		}
	}

	private void awaitQuiet(long messages) {
		this.loop.schedule(() -> {
			if (this.result.isDone()) {
				return;
			}
			if (this.messages > messages) {
				awaitQuiet(this.messages);
			}
			else {
				next();
			}
		}, QUIET_MILLIS, TimeUnit.MILLISECONDS);
	}

	private void next() {
		boolean more = this.found || this.filter + 1 < this.status.groups();
		this.filter++;
		if (this.filter == 0 || (more && this.filter < GatewayStatus.Contents.MAX_GROUPS)) {
			subscribe();
			return;
		}
		if (this.bytes > this.maxBytes) {
			logger.warn("Ignored a part of the retained observations: they have {} bytes, but all clients together "
					+ "may hold {}", this.bytes, this.maxBytes);
		}
		done(true);
	}

	@Override
	public void ended(BrokerException cause) {
		if (this.result.completeExceptionally(cause) && this.connection != null) {
			this.connection.close();
		}
	}

	private void unavailable(String reason) {
		logger.warn("Observations will not survive a restart of the gateway: {}", reason);
		done(false);
	}

	private void done(boolean writable) {
		if (!this.result.isDone()) {
			if (this.connection != null) {
				this.connection.close();
			}
			this.result.complete(new Retained(writable, this.reportsAbsence, this.status, this.pages));
		}
	}

}
