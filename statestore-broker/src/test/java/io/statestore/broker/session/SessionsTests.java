package io.statestore.broker.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.statestore.broker.session.SessionChange.Acknowledge;
import io.statestore.broker.session.SessionChange.Connect;
import io.statestore.broker.session.SessionChange.Disconnect;
import io.statestore.broker.session.SessionChange.Publish;
import io.statestore.broker.session.SessionChange.Subscribe;
import io.statestore.broker.session.Sessions.Connected;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What connections receive, which {@link SessionsModelTests} does not cover. */
class SessionsTests {

	private static final long SECOND = 1_000_000_000L;

	private final Sessions sessions = new Sessions();

	private final List<Delivery> deliveries = new ArrayList<>();

	private Connected connect(String clientId, @Nullable Will will) {
		return Objects.requireNonNull(this.sessions.apply(new Connect(clientId, "", false, 60, 65_535, will, true), 0));
	}

	/** Connects and subscribes. */
	private long subscriber(String clientId, String... filters) {
		long number = connect(clientId, null).number();
		for (String filter : filters) {
			this.sessions.apply(new Subscribe(clientId, number, List.of(new Subscription(filter, 2, 0))), 0);
		}
		this.sessions.attach(clientId, number, this.deliveries::add);
		return number;
	}

	private void publish(String topic, int qos, boolean retain) {
		Message message = message(topic, qos, retain, "p");
		Publish change = this.sessions.route(message, 0, 0);
		if (change != null) {
			this.sessions.apply(change, 0);
		}
	}

	private static Message message(String topic, int qos, boolean retain, String publisher) {
		return new Message(topic, new byte[0], new byte[1], qos, retain, Message.NEVER, publisher);
	}

	private List<Long> numbers() {
		return this.deliveries.stream().map(Delivery::number).toList();
	}

	@Test
	void passesLimitedNumberOfMessages() {
		long number = subscriber("c", "t");
		for (int i = 0; i < 2 * Session.WINDOW; i++) {
			publish("t", 1, false);
		}
		assertThat(this.deliveries).hasSize(Session.WINDOW);
		this.sessions.apply(new Acknowledge("c", number, false, new long[] { 7, 5, 6 }), 0);
		assertThat(this.deliveries).hasSize(Session.WINDOW + 3);
		assertThat(numbers()).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void identifiersInFlightAreDistinct() {
		long number = subscriber("c", "t");
		for (int i = 0; i < Delivery.MAX_PACKET_ID + 10; i++) {
			publish("t", 1, false);
			if (i > 0 && i < Delivery.MAX_PACKET_ID) {
				this.sessions.apply(new Acknowledge("c", number, false, new long[] { i + 1 }), 0);
			}
		}
		assertThat(this.deliveries).hasSize(Delivery.MAX_PACKET_ID);
		assertThat(this.deliveries.stream().map(Delivery::packetId)).doesNotHaveDuplicates();
		this.sessions.apply(new Acknowledge("c", number, false, new long[] { 1 }), 0);
		assertThat(this.deliveries.get(Delivery.MAX_PACKET_ID).packetId()).isOne();
	}

	@Test
	void continuedSessionReceivesUnacknowledgedMessagesAgain() {
		long first = subscriber("c", "t");
		publish("t", 2, false);
		publish("t", 1, false);
		this.sessions.apply(new Acknowledge("c", first, true, new long[] { 1 }), 0);
		Connected second = connect("c", null);
		assertThat(second.present()).isTrue();
		publish("t", 1, false);
		assertThat(numbers()).containsExactly(1L, 2L);
		this.deliveries.clear();
		this.sessions.attach("c", second.number(), this.deliveries::add);
		assertThat(numbers()).containsExactly(1L, 2L, 3L);
		assertThat(this.deliveries).extracting(Delivery::isReceived).containsExactly(true, false, false);
		assertThat(this.deliveries).extracting(Delivery::isRepeated).containsExactly(true, true, false);
	}

	@Test
	void earlierConnectionChangesNothing() {
		long first = subscriber("c", "t");
		Connected second = connect("c", null);
		this.sessions.apply(new Disconnect("c", first, 0, true), 0);
		this.sessions.apply(new Subscribe("c", first, List.of(new Subscription("u", 1, 0))), 0);
		this.sessions.attach("c", first, this.deliveries::add);
		this.sessions.attach("c", second.number(), this.deliveries::add);
		publish("u", 1, false);
		assertThat(this.deliveries).isEmpty();
		publish("t", 1, false);
		assertThat(numbers()).containsExactly(1L);
	}

	@Test
	void takeoverPublishesWillWithoutDelay() {
		subscriber("watcher", "wills");
		Will will = new Will(message("wills", 1, false, "c"), 0, -1);
		connect("c", will);
		connect("c", will);
		assertThat(this.deliveries).hasSize(1);
	}

	@Test
	void willIsNotPublishedIfClientReturnsAfterRestart() {
		subscriber("watcher", "wills");
		this.sessions.apply(new Connect("c", "", true, 0, 10, new Will(message("wills", 1, false, "c"), 0, -1), true),
				0);
		this.sessions.start(0);
		assertThat(this.sessions.nextDeadline()).isEqualTo(30 * SECOND);
		this.sessions.apply(new Connect("c", "", true, 0, 10, null, true), SECOND);
		assertThat(Objects.requireNonNull(this.sessions.find("watcher")).queuedBytes()).isZero();
		this.sessions.apply(new SessionChange.Expire(List.of()), 100 * SECOND);
		assertThat(this.sessions.find("watcher")).isNull();
	}

	@Test
	void sharedSubscriptionAlternatesBetweenConnectedMembers() {
		subscriber("a", "$share/g/t");
		long left = subscriber("b", "$share/g/t");
		subscriber("c", "$share/g/t");
		this.sessions.apply(new Disconnect("b", left, 60, false), 0);
		for (int i = 0; i < 4; i++) {
			publish("t", 1, false);
		}
		assertThat(numbers()).containsExactlyInAnyOrder(1L, 1L, 2L, 2L);
	}

	@Test
	void deliversRepeatedQos2MessageOnce() {
		Session watcher = Session.of("watcher", "", this.deliveries::add);
		this.sessions.subscribe(watcher, new Subscription("t", 1, 0), 0);
		Message message = message("t", 2, false, "p");
		for (int i = 0; i < 2; i++) {
			long number = connect("p", null).number();
			this.sessions.apply(Objects.requireNonNull(this.sessions.route(message, number, 5)), 0);
		}
		assertThat(this.deliveries).hasSize(1);
		// Of an earlier connection.
		this.sessions.apply(Objects.requireNonNull(this.sessions.route(message, 1, 6)), 0);
		assertThat(this.deliveries).hasSize(1);
	}

	@Test
	void eachRetainedMessageReachesOneMember() {
		Session other = Session.of("other", "", this.deliveries::add);
		this.sessions.subscribe(other, new Subscription("$share/g/t", 1, 0), 0);
		subscriber("stored", "$share/g/t");
		for (int i = 0; i < 4; i++) {
			publish("t", 1, true);
		}
		assertThat(this.deliveries).hasSize(4);
		assertThat(numbers()).containsOnlyOnce(1L, 2L);
	}

	@Test
	void messagesAboveLimitAreDropped() {
		subscriber("c", "t");
		this.sessions.limit(1);
		publish("t", 1, false);
		publish("t", 1, false);
		publish("t", 0, false);
		assertThat(this.deliveries).extracting(Delivery::qos).containsExactly(1, 0);
		assertThat(this.sessions.dropped()).isOne();
	}

	@Test
	void noLocalAppliesToRetainedMessages() {
		publish("t", 1, true);
		Connected connected = connect("p", null);
		this.sessions.apply(new Subscribe("p", connected.number(), List.of(new Subscription("t", 1 | 1 << 2, 0))), 0);
		this.sessions.attach("p", connected.number(), this.deliveries::add);
		assertThat(this.deliveries).isEmpty();
	}

	@Test
	void retainedMessageReachesSessionThatIsNotStoredWhenItIsApplied() {
		Session session = Session.of("s", "", this.deliveries::add);
		Publish change = Objects.requireNonNull(this.sessions.route(message("t", 1, true, "p"), 0, 0));
		this.sessions.subscribe(session, new Subscription("t", 1, 0), 0);
		assertThat(this.deliveries).isEmpty();
		this.sessions.apply(change, 0);
		assertThat(this.deliveries).hasSize(1);
		this.sessions.subscribe(session, new Subscription("+", 1, 0), 0);
		assertThat(this.deliveries).extracting(Delivery::retain).containsExactly(false, true);
	}

	@Test
	void manyFiltersMatchOneMessage() {
		Connected connected = connect("c", null);
		List<Subscription> subscriptions = new ArrayList<>();
		for (int bits = 0; bits < 1 << 10; bits++) {
			StringBuilder filter = new StringBuilder("t");
			for (int level = 0; level < 10; level++) {
				filter.append(((bits >> level & 1) != 0) ? "/+" : "/a");
			}
			subscriptions.add(new Subscription(filter.toString(), 1, bits + 1));
		}
		this.sessions.apply(new Subscribe("c", connected.number(), subscriptions), 0);
		this.sessions.attach("c", connected.number(), this.deliveries::add);
		publish("t" + "/a".repeat(10), 1, false);
		assertThat(this.deliveries).hasSize(1);
		assertThat(this.deliveries.get(0).identifiers()).hasSize(1 << 10).doesNotHaveDuplicates();
	}

	@Test
	void choosesNoMemberIfEntryNamesNone() {
		subscriber("c", "$share/g/t");
		this.sessions.apply(new Publish(message("t", 1, false, "p"), 0, 0, Map.of()), 0);
		assertThat(this.deliveries).isEmpty();
	}

}
