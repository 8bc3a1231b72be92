package io.statestore.broker.gateway;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.mqtt.Accepted;
import io.statestore.mqtt.ClientPackets;
import io.statestore.mqtt.Publish;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the state that an earlier gateway left on the broker, using its own connection. A
 * first publish shows whether the broker reports missing subscribers. The reader then
 * subscribes to one filter at a time. After each SUBACK, it publishes a marker. All of a
 * filter's retained messages have arrived when the marker has returned and the broker has
 * sent no retained message for a short time. Used only on the event loop.
 * <p>
 * If a group of pages takes too long, the reader continues without the remaining pages.
 * Clients that write to the gateway's topics therefore cannot keep it from starting.
 */
final class RetainedReader extends BrokerTask<Retained> {

	private static final Logger logger = LoggerFactory.getLogger(RetainedReader.class);

	/**
	 * How long no retained message must arrive. Some brokers send retained messages after
	 * newer messages.
	 */
	static final Duration QUIET = Duration.ofMillis(50);

	/** Maximum time per filter. */
	static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final int PACKET_ID = 1;

	/**
	 * Number of the first filter. Filters are numbered in the order of their
	 * subscriptions.
	 */
	private static final int MARKER = -2;

	/** Number of the second filter. Groups of pages follow, starting with 0. */
	private static final int STATUS = -1;

	private final String marker = GatewayTopics.unused();

	private final EventLoop loop;

	private final Duration timeout;

	private final Duration quiet;

	private final RetainedContents contents;

	private boolean reportsAbsence;

	private int filter = MARKER;

	/** Whether the marker for the current filter was published and has not returned. */
	private boolean awaitingMarker;

	/** Number of retained messages received so far. */
	private long messages;

	/** Number of pages received for earlier filters. */
	private int pagesBefore;

	private @Nullable ScheduledFuture<?> timer;

	private RetainedReader(EventLoop loop, GatewaySettings settings, Duration timeout, Duration quiet) {
		super(loop, settings, "reader");
		this.loop = loop;
		this.timeout = timeout;
		this.quiet = quiet;
		this.contents = new RetainedContents(settings.budget().maxBytes());
	}

	/**
	 * Starts reading. Must be called on the event loop, where the result completes.
	 * @param timeout maximum time per filter
	 * @param quiet how long no retained message must arrive before all count as delivered
	 * @return the retained state; fails with a {@link BrokerException} if the connection
	 * fails, or if the broker does not deliver the status
	 */
	static CompletableFuture<Retained> read(EventLoop loop, GatewaySettings settings, Duration timeout,
			Duration quiet) {
		RetainedReader reader = new RetainedReader(loop, settings, timeout, quiet);
		return reader.start(settings).whenComplete((retained, failure) -> reader.cancelTimer());
	}

	private void startTimer() {
		cancelTimer();
		this.timer = this.loop.schedule(this::timedOut, this.timeout.toMillis(), TimeUnit.MILLISECONDS);
	}

	private void cancelTimer() {
		if (this.timer != null) {
			this.timer.cancel(false);
		}
	}

	/**
	 * Continues without the remaining pages, but fails if the status is missing, because
	 * it limits the versions.
	 */
	private void timedOut() {
		if (this.filter < 0) {
			fail(new BrokerException("the broker does not deliver its retained messages"));
			return;
		}
		logger.warn(
				"The broker did not deliver all retained watches of group {} within {} ms. Continuing without the "
						+ "remaining watches. Restrict write access to the gateway's topics",
				this.filter, this.timeout.toMillis());
		finish(true);
	}

	@Override
	public void accepted(Accepted accepted) {
		if (accepted.retainAvailable()) {
			startTimer();
			publishMarker();
		}
		else {
			unavailable("the broker does not retain messages");
		}
	}

	/** Publishes the marker. The first time, the marker has no subscriber. */
	private void publishMarker() {
		this.awaitingMarker = true;
		OwnPublish publish = GatewayMessages.own(this.marker, new byte[] { 0 }, false);
		send((connection) -> connection.publish(publish, PACKET_ID, false));
	}

	@Override
	public void acknowledged(int packetId, int reasonCode) {
		if (ReasonCodes.isFailure(reasonCode)) {
			unavailable("the broker does not permit the gateway to publish to '" + this.marker + "'");
		}
		else if (this.filter == MARKER) {
			this.reportsAbsence = reasonCode == ReasonCodes.NO_MATCHING_SUBSCRIBERS;
			subscribe();
		}
	}

	private void subscribe() {
		startTimer();
		String topic = switch (this.filter) {
			case MARKER -> this.marker;
			case STATUS -> GatewayTopics.STATUS;
			default -> GatewayTopics.group(this.filter);
		};
		this.awaitingMarker = false;
		this.pagesBefore = this.contents.pages().size();
		send((connection) -> connection.write(ClientPackets.subscribe(PACKET_ID, topic)));
	}

	@Override
	public void subscribed(int packetId, List<Integer> reasonCodes) {
		if (ReasonCodes.isFailure(reasonCodes.get(0))) {
			unavailable("the broker does not permit the gateway to subscribe to the gateway's topics");
		}
		else if (this.filter == MARKER) {
			this.filter = STATUS;
			subscribe();
		}
		else {
			publishMarker();
		}
	}

	@Override
	public void published(Publish publish) {
		String topic = publish.topic();
		if (topic.equals(this.marker)) {
			if (this.awaitingMarker) {
				this.awaitingMarker = false;
				awaitQuiet(this.messages);
			}
		}
		else if (publish.isRetained() && !publish.isSkipped()) {
			this.messages++;
			this.contents.add(topic, publish.payload());
		}
		acknowledge(publish.packetId());
	}

	private void acknowledge(int packetId) {
		if (packetId > 0) {
			send((connection) -> connection.acknowledge(packetId));
		}
	}

	private void awaitQuiet(long messages) {
		this.loop.schedule(() -> {
			if (isDone()) {
				return;
			}
			if (this.messages > messages) {
				awaitQuiet(this.messages);
			}
			else {
				nextFilter();
			}
		}, this.quiet.toMillis(), TimeUnit.MILLISECONDS);
	}

	private void nextFilter() {
		boolean found = this.contents.pages().size() > this.pagesBefore;
		boolean more = found || this.filter + 1 < this.contents.status().groups();
		this.filter++;
		if (this.filter == 0 || (more && this.filter < GatewayStatus.Contents.MAX_GROUPS)) {
			subscribe();
			return;
		}
		finish(true);
	}

	private void unavailable(String reason) {
		logger.warn("Watches will not survive a restart of the gateway, because {}. Check the broker's settings and "
				+ "access control list", reason);
		finish(false);
	}

	private void finish(boolean writable) {
		done(new Retained(writable, this.reportsAbsence, this.contents.status(), this.contents.pages()));
	}

}
