package io.statestore.broker.mqtt;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageBuilders.UnsubAckBuilder;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttSubAckPayload;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttSubscriptionOption;
import io.netty.handler.codec.mqtt.MqttTopicSubscription;
import io.netty.handler.codec.mqtt.MqttUnsubscribeMessage;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.broker.session.Session;
import io.statestore.broker.session.SessionChange;
import io.statestore.broker.session.SessionMemory;
import io.statestore.broker.session.Sessions;
import io.statestore.broker.session.Subscription;
import io.statestore.protocol.TopicFilter;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Handles a client's SUBSCRIBE and UNSUBSCRIBE packets (MQTT 5 sections 3.8 to 3.11),
 * which change its session. Used on the connection's event loop.
 * <p>
 * Keeps its own copy of the subscriptions that are not shared, so that matching state
 * store messages does not have to wait for the thread that changes a stored session.
 */
final class Subscriptions {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(Subscriptions.class));

	/** Reason code for a failure in a SUBACK before MQTT 5. */
	private static final int SUBSCRIBE_FAILED = 0x80;

	private final ClientLink link;

	private final PendingChanges pending;

	private final TopicAccess access;

	private final Session session;

	/** Number of the connection in the log, 0 if the log does not have it. */
	private final long connectionNumber;

	private final Runnable answered;

	/** Subscriptions without wildcards, by topic. */
	private final Map<String, Subscription> topics = new HashMap<>();

	/** Subscriptions with wildcards, by filter. */
	private final Map<String, Subscription> patterns = new HashMap<>();

	/** Packet identifiers of SUBSCRIBE and UNSUBSCRIBE packets in flight. */
	private final Set<Integer> inFlight = new HashSet<>();

	/**
	 * Creates the subscriptions of a connection.
	 * @param link the connection
	 * @param pending the connection's changes
	 * @param access the client's access to topics
	 * @param session the client's session
	 * @param connectionNumber number of the connection in the log, 0 if the log does not
	 * have it
	 * @param answered called after a SUBACK or UNSUBACK was written
	 */
	Subscriptions(ClientLink link, PendingChanges pending, TopicAccess access, Session session, long connectionNumber,
			Runnable answered) {
		this.link = link;
		this.pending = pending;
		this.access = access;
		this.session = session;
		this.connectionNumber = connectionNumber;
		this.answered = answered;
		session.subscriptions().values().forEach(this::grant);
	}

	/** Returns whether a SUBSCRIBE or UNSUBSCRIBE is in flight. */
	boolean areChanging() {
		return !this.inFlight.isEmpty();
	}

	/** Handles a SUBSCRIBE packet. */
	void subscribe(MqttSubscribeMessage subscribe) {
		List<MqttTopicSubscription> requested = subscribe.payload().topicSubscriptions();
		Integer identifier = Packets.property(subscribe.idAndPropertiesVariableHeader().properties(),
				MqttProperties.SUBSCRIPTION_IDENTIFIER, Integer.class);
		String violation = violation(requested, identifier);
		if (violation != null) {
			this.link.disconnect(ReasonCodes.PROTOCOL_ERROR, violation);
			return;
		}
		int packetId = subscribe.variableHeader().messageId();
		if (!begin(packetId)) {
			return;
		}
		int[] reasons = new int[requested.size()];
		List<Subscription> valid = new ArrayList<>();
		for (int i = 0; i < reasons.length; i++) {
			MqttTopicSubscription each = requested.get(i);
			int refusal = this.access.refusal(each.topicFilter());
			reasons[i] = (refusal != 0) ? failure(refusal) : each.option().qos().value();
			if (refusal == 0) {
				valid.add(new Subscription(each.topicFilter(), options(each.option()),
						(identifier != null) ? identifier : 0));
			}
		}
		if (this.session.isStored() && !valid.isEmpty()) {
			subscribeStored(packetId, valid, reasons);
		}
		else {
			subscribeUnstored(packetId, valid, reasons);
		}
	}

	private @Nullable String violation(List<MqttTopicSubscription> requested, @Nullable Integer identifier) {
		if (requested.isEmpty()) {
			return "a SUBSCRIBE without a filter";
		}
		if (identifier != null && identifier == 0) {
			return "a subscription identifier of 0";
		}
		boolean noLocal = this.link.isMqtt5() && requested.stream()
			.anyMatch((each) -> each.option().isNoLocal() && each.topicFilter().startsWith(TopicFilter.SHARED));
		return noLocal ? "No Local with a shared subscription" : null;
	}

	/** Reserves a packet identifier, or ends the connection if it is in use. */
	private boolean begin(int packetId) {
		boolean free = this.inFlight.add(packetId);
		if (!free) {
			this.link.disconnect(ReasonCodes.PROTOCOL_ERROR,
					"a packet identifier that is in use (MQTT 5 section 2.2.1)");
		}
		return free;
	}

	/** Returns the Subscription Options byte (MQTT 5 section 3.8.3.1). */
	private int options(MqttSubscriptionOption option) {
		int qos = option.qos().value();
		return this.link.isMqtt5() ? qos | (option.isNoLocal() ? 1 << 2 : 0)
				| (option.isRetainAsPublished() ? 1 << 3 : 0) | option.retainHandling().value() << 4 : qos;
	}

	private int failure(int reasonCode) {
		return this.link.isMqtt5() ? reasonCode : SUBSCRIBE_FAILED;
	}

	/** Changes a stored session. */
	private void subscribeStored(int packetId, List<Subscription> valid, int[] reasons) {
		this.pending.append(new SessionChange.Subscribe(this.link.clientId(), this.connectionNumber, valid),
				(applied) -> {
					if (!applied.unaffected().isEmpty()) {
						this.pending.refused("a subscription", MemoryUse.SESSION);
					}
					suback(packetId, valid, reasons, applied.unaffected());
				}, () -> {
					Arrays.fill(reasons, failure(ReasonCodes.QUOTA_EXCEEDED));
					suback(packetId, List.of(), reasons, Set.of());
				});
	}

	/** Adds subscriptions to a session that ends with this connection. */
	private void subscribeUnstored(int packetId, List<Subscription> valid, int[] reasons) {
		Sessions sessions = this.pending.log().sessions();
		Set<String> refused = new HashSet<>();
		List<Subscription> retained = new ArrayList<>();
		for (Subscription each : valid) {
			if (!tryReserve(each.filter())) {
				refused.add(each.filter());
			}
			else if (sessions.routing().subscribe(this.session, each)) {
				retained.add(each);
			}
		}
		suback(packetId, valid, reasons, refused);
		if (!retained.isEmpty()) {
			long now = this.pending.log().now();
			this.pending.runInOrder(
					() -> retained.forEach((each) -> sessions.routing().sendRetained(this.session, each, now)), 0,
					() -> {
					});
		}
	}

	private boolean tryReserve(String filter) {
		boolean reserved = this.session.subscriptions().containsKey(filter)
				|| this.link.memory().tryReserve(MemoryUse.SUBSCRIPTION, SessionMemory.ofSubscription(filter));
		if (!reserved) {
			clientLog.warn("Refused a subscription of client '{}': the memory for clients is exhausted. "
					+ Limits.RAISE_MEMORY, this.link.clientId(), this.link.memory().largestHolder());
		}
		return reserved;
	}

	/**
	 * Answers a SUBSCRIBE.
	 * @param valid the subscriptions whose reason code is not a failure
	 * @param refused those of their filters that are nevertheless refused
	 */
	private void suback(int packetId, List<Subscription> valid, int[] reasons, Set<String> refused) {
		Iterator<Subscription> next = valid.iterator();
		for (int i = 0; i < reasons.length; i++) {
			Subscription subscription = (!ReasonCodes.isFailure(reasons[i])) ? next.next() : null;
			if (subscription != null && refused.contains(subscription.filter())) {
				reasons[i] = failure(ReasonCodes.QUOTA_EXCEEDED);
			}
			else if (subscription != null) {
				grant(subscription);
			}
		}
		MqttFixedHeader header = new MqttFixedHeader(MqttMessageType.SUBACK, false, MqttQoS.AT_MOST_ONCE, false, 0);
		this.link.write(new MqttSubAckMessage(header, MqttMessageIdVariableHeader.from(packetId),
				new MqttSubAckPayload(reasons)));
		end(packetId);
	}

	private void end(int packetId) {
		this.inFlight.remove(packetId);
		this.answered.run();
	}

	/** Handles an UNSUBSCRIBE packet. */
	void unsubscribe(MqttUnsubscribeMessage unsubscribe) {
		List<String> filters = unsubscribe.payload().topics();
		int packetId = unsubscribe.variableHeader().messageId();
		if (!begin(packetId)) {
			return;
		}
		if (this.session.isStored()) {
			this.pending.append(new SessionChange.Unsubscribe(this.link.clientId(), this.connectionNumber, filters),
					(applied) -> unsuback(packetId, filters, (each) -> !applied.unaffected().contains(each)),
					() -> unsubscribeRejected(packetId, filters.size()));
		}
		else {
			unsuback(packetId, filters, this::unsubscribeUnstored);
		}
	}

	private boolean unsubscribeUnstored(String filter) {
		boolean removed = this.pending.log().sessions().routing().unsubscribe(this.session, filter);
		this.link.memory().release(MemoryUse.SUBSCRIPTION, removed ? SessionMemory.ofSubscription(filter) : 0);
		return removed;
	}

	private void unsuback(int packetId, List<String> filters, Predicate<String> removed) {
		filters.forEach(this::revoke);
		unsuback(packetId,
				filters.stream().map((each) -> removed.test(each) ? 0 : ReasonCodes.NO_SUBSCRIPTION_EXISTED).toList());
	}

	private void unsuback(int packetId, List<Integer> reasons) {
		UnsubAckBuilder unsuback = MqttMessageBuilders.unsubAck().packetId(packetId);
		if (this.link.isMqtt5()) {
			reasons.forEach((reason) -> unsuback.addReasonCode(reason.shortValue()));
		}
		this.link.write(unsuback.build());
		end(packetId);
	}

	private void unsubscribeRejected(int packetId, int filters) {
		if (this.link.isMqtt5()) {
			unsuback(packetId, Collections.nCopies(filters, ReasonCodes.IMPLEMENTATION_SPECIFIC));
		}
		else {
			// An acknowledgment would confirm that the subscriptions have ended.
			this.pending.rejected();
		}
	}

	/** Ends the session if it ends with this connection. */
	void close() {
		if (!this.session.isStored()) {
			this.pending.log().sessions().routing().end(this.session);
		}
	}

	/**
	 * Adds a subscription unless it is shared, because the receiver of a shared
	 * subscription's message is chosen elsewhere.
	 */
	private void grant(Subscription subscription) {
		if (!subscription.isShared()) {
			String filter = subscription.filter();
			(TopicFilter.hasWildcard(filter) ? this.patterns : this.topics).put(filter, subscription);
		}
	}

	private void revoke(String filter) {
		this.topics.remove(filter);
		this.patterns.remove(filter);
	}

	/**
	 * Returns the subscriptions that match a topic, or {@code null} if there are none.
	 * @param topic topic of a message
	 */
	@Nullable Match match(String topic) {
		Subscription exact = this.topics.get(topic);
		Match match = (exact != null) ? Match.with(null, exact) : null;
		for (Map.Entry<String, Subscription> pattern : this.patterns.entrySet()) {
			if (TopicFilter.matches(pattern.getKey(), topic)) {
				match = Match.with(match, pattern.getValue());
			}
		}
		return match;
	}

	/**
	 * The combined subscriptions that match a message.
	 *
	 * @param qos the highest granted QoS level
	 * @param identifiers all of their subscription identifiers
	 */
	record Match(int qos, TreeSet<Integer> identifiers) {

		private static Match with(@Nullable Match match, Subscription subscription) {
			TreeSet<Integer> identifiers = (match != null) ? match.identifiers : new TreeSet<>();
			if (subscription.identifier() != 0) {
				identifiers.add(subscription.identifier());
			}
			return new Match((match != null) ? Math.max(match.qos, subscription.qos()) : subscription.qos(),
					identifiers);
		}

	}

}
