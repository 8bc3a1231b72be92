package io.statestore.broker.artemis.session;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttTopicSubscription;
import io.netty.handler.codec.mqtt.MqttUnsubAckMessage;
import io.netty.handler.codec.mqtt.MqttUnsubscribeMessage;
import io.netty.handler.codec.mqtt.MqttUnsubscribePayload;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.server.ClientLog;
import org.slf4j.LoggerFactory;

/**
 * Guard of the subscriptions of one connection. Refuses invalid filters, filters that
 * Artemis confuses with others, and filters for which memory or disk is exhausted. Used
 * on the event loop of the connection only.
 */
final class SubscriptionGuard {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(SubscriptionGuard.class));

	private static final int FIRST_FAILURE = 0x80;

	private static final int IMPLEMENTATION_SPECIFIC_ERROR = 0x83;

	private static final int TOPIC_FILTER_INVALID = 0x8F;

	private static final int QUOTA_EXCEEDED = 0x97;

	private final PendingRequests pending = new PendingRequests();

	private final SessionMemory session;

	private final String clientId;

	private final boolean mqtt5;

	private final RetainedCopies retained;

	private final Runnable shortOfMemory;

	private final Consumer<Set<String>> stopDelivery;

	/**
	 * Creates a guard.
	 * @param session memory of the session
	 * @param clientId id of the client
	 * @param mqtt5 whether the client uses MQTT 5
	 * @param retained reserves space for copies of retained messages
	 * @param shortOfMemory called when memory for a subscription is exhausted
	 * @param stopDelivery stops deliveries from the queues with given names to this
	 * connection, and waits for deliveries in progress
	 */
	SubscriptionGuard(SessionMemory session, String clientId, boolean mqtt5, RetainedCopies retained,
			Runnable shortOfMemory, Consumer<Set<String>> stopDelivery) {
		this.session = session;
		this.clientId = clientId;
		this.mqtt5 = mqtt5;
		this.retained = retained;
		this.shortOfMemory = shortOfMemory;
		this.stopDelivery = stopDelivery;
	}

	/** Returns the filters of all SUBSCRIBE packets in flight. */
	Set<String> requestedFilters() {
		return this.pending.requestedFilters();
	}

	/**
	 * Handles a SUBSCRIBE: passes the accepted subscriptions on, or refuses all.
	 * @param context the context of the handler
	 * @param subscribe the packet
	 */
	void read(ChannelHandlerContext context, MqttSubscribeMessage subscribe) {
		int packetId = subscribe.variableHeader().messageId();
		// Sweeps keep the filters from the first reservation until the answer.
		this.session.subscribeStarted();
		PendingSubscribe request = accept(packetId, subscribe.payload().topicSubscriptions());
		if (request.isReduced()) {
			clientLog.warn(
					"Refused {} of {} subscriptions of client '{}': a filter is invalid, has the same topics as "
							+ "another shared or ordinary subscription, the disk has no space for the retained "
							+ "messages, or memory is exhausted. " + Limits.RAISE_MEMORY,
					request.refusals().size() - request.accepted().size(), request.refusals().size(), this.clientId,
					this.session.memory().largestHolder());
		}
		if (request.accepted().isEmpty() && request.isReduced()) {
			this.session.subscribesEnded(1);
			context.write(request.answer(packetId, List.of()));
			return;
		}
		if (this.pending.subscribing(packetId, request)) {
			this.session.subscribesEnded(1);
		}
		context.fireChannelRead(request.internal(subscribe));
	}

	private PendingSubscribe accept(int packetId, List<MqttTopicSubscription> subscriptions) {
		List<MqttTopicSubscription> accepted = new ArrayList<>();
		List<Integer> refusals = new ArrayList<>();
		Set<String> added = new HashSet<>();
		for (MqttTopicSubscription subscription : subscriptions) {
			String filter = QueueNames.internalFilter(subscription.topicFilter());
			boolean known = this.session.contains(filter);
			int refusal = known ? PendingSubscribe.ACCEPTED : reserve(filter);
			if (refusal == PendingSubscribe.ACCEPTED
					&& !this.retained.tryReserve(packetId, filter, subscription.option(), known)) {
				refusal = QUOTA_EXCEEDED;
				if (!known) {
					this.session.remove(filter);
				}
			}
			// MQTT 3.1.1 has a single reason code (section 3.9.3).
			refusals.add((refusal == PendingSubscribe.ACCEPTED || this.mqtt5) ? refusal : FIRST_FAILURE);
			if (refusal == PendingSubscribe.ACCEPTED) {
				accepted.add(new MqttTopicSubscription(filter, subscription.option()));
				if (!known) {
					added.add(filter);
				}
			}
		}
		return new PendingSubscribe(accepted, refusals, added);
	}

	/** Reserves memory for a filter. Returns a reason code if it is refused. */
	private int reserve(String filter) {
		if (filter.equals(QueueNames.INVALID_FILTER)) {
			return TOPIC_FILTER_INVALID;
		}
		String other = this.session.withSameTopics(filter);
		if (other != null && !this.pending.isUnsubscribing(other)) {
			// For Artemis, both would be the same subscription.
			return IMPLEMENTATION_SPECIFIC_ERROR;
		}
		if (!this.session.tryAdd(filter)) {
			this.shortOfMemory.run();
			return QUOTA_EXCEEDED;
		}
		return PendingSubscribe.ACCEPTED;
	}

	/**
	 * Handles an UNSUBSCRIBE, and passes it on.
	 * @param context the context of the handler
	 * @param unsubscribe the packet
	 */
	void read(ChannelHandlerContext context, MqttUnsubscribeMessage unsubscribe) {
		List<String> filters = unsubscribe.payload().topics().stream().map(QueueNames::internalFilter).toList();
		this.pending.unsubscribing(unsubscribe.variableHeader().messageId(), filters);
		Set<String> queues = this.session.queues(filters);
		List<String> stopping = new StoppingFilters(filters, context.executor(),
				() -> this.stopDelivery.accept(queues));
		context.fireChannelRead(new MqttUnsubscribeMessage(unsubscribe.fixedHeader(),
				unsubscribe.idAndPropertiesVariableHeader(), new MqttUnsubscribePayload(stopping)));
	}

	/**
	 * Handles a SUBACK of Artemis.
	 * @param suback the packet
	 * @return the packet for the client, which also contains the refused subscriptions
	 */
	MqttSubAckMessage subscribed(MqttSubAckMessage suback) {
		this.retained.subscribed(suback.variableHeader().messageId());
		PendingSubscribe request = this.pending.subscribed(suback.variableHeader().messageId());
		if (request == null) {
			return suback;
		}
		List<Integer> reasons = suback.payload().reasonCodes();
		List<String> filters = request.filters();
		for (int i = 0; i < filters.size() && i < reasons.size(); i++) {
			if (!isFailure(reasons.get(i))) {
				this.session.add(filters.get(i));
			}
			else if (request.added().contains(filters.get(i))) {
				this.session.remove(filters.get(i));
			}
		}
		this.session.subscribesEnded(1);
		return request.isReduced() ? request.answer(suback.variableHeader().messageId(), reasons) : suback;
	}

	/**
	 * Handles an UNSUBACK of Artemis.
	 * @param unsuback the packet
	 */
	void unsubscribed(MqttUnsubAckMessage unsuback) {
		List<String> filters = this.pending.unsubscribed(unsuback.variableHeader().messageId());
		if (filters == null) {
			return;
		}
		List<Short> reasons = this.mqtt5 ? unsuback.payload().unsubscribeReasonCodes() : List.of();
		for (int i = 0; i < filters.size(); i++) {
			boolean removed = i >= reasons.size() || !isFailure(reasons.get(i));
			if (removed && !this.pending.requestedFilters().contains(filters.get(i))) {
				this.session.remove(filters.get(i));
			}
		}
	}

	static boolean isFailure(int reasonCode) {
		return (reasonCode & 0xFF) >= FIRST_FAILURE;
	}

	/** Handles the end of the connection. Requests in flight get no answer. */
	void close() {
		this.retained.close();
		this.session.subscribesEnded(this.pending.subscribes());
	}

}
