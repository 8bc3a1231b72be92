package io.statestore.broker.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.statestore.broker.session.Applied.Connected;
import io.statestore.broker.session.SessionChange.Acknowledge;
import io.statestore.broker.session.SessionChange.Connect;
import io.statestore.broker.session.SessionChange.Disconnect;
import io.statestore.broker.session.SessionChange.End;
import io.statestore.broker.session.SessionChange.Publish;
import io.statestore.broker.session.SessionChange.Subscribe;
import io.statestore.broker.session.SessionMemory.Losses;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Messages that connections receive, which {@link SessionsModelTests} does not cover. */
class SessionsTests {

	private static final long SECOND = 1_000_000_000L;

	private final Sessions sessions = new Sessions();

	private final List<Delivery> deliveries = new ArrayList<>();

	private Connected connect(String clientId, @Nullable Will will) {
		return Objects
			.requireNonNull(this.sessions.apply(new Connect(clientId, "", false, 60, will, true), 0).connected());
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

	private @Nullable Publish route(Message message, long connection, int packetId) {
		return this.sessions.routing().route(message, "", connection, packetId, false);
	}

	private void publish(String topic, int qos, boolean retain) {
		Message message = message(topic, qos, retain, "p");
		Publish change = route(message, 0, 0);
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

	/** The acknowledgments of earlier messages may not be in the log. */
	@Test
	void marksEntireWindowRepeatedForNextConnection() {
		Applied applied = this.sessions.apply(new Connect("c", "", false, 60, null, true), 0);
		long first = Objects.requireNonNull(applied.connected()).number();
		this.sessions.apply(new Subscribe("c", first, List.of(new Subscription("t", 2, 0))), 0);
		for (int i = 0; i < Session.WINDOW + 1; i++) {
			publish("t", 2, false);
		}
		this.sessions.attach("c", connect("c", null).number(), this.deliveries::add);
		assertThat(this.deliveries).hasSize(Session.WINDOW).allMatch(Delivery::isRepeated);
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
	void endedSessionPublishesWillAndReceivesNothing() {
		subscriber("watcher", "wills");
		Will will = new Will(message("wills", 1, false, "c"), 1_000, -1);
		long number = connect("c", will).number();
		this.sessions.apply(new Subscribe("c", number, List.of(new Subscription("t", 2, 0))), 0);
		assertThat(this.sessions.apply(new End("c", true), 0).unaffected()).isEmpty();
		assertThat(this.deliveries).hasSize(1);
		assertThat(this.sessions.find("c")).isNull();
		assertThat(this.sessions.apply(new End("c", true), 0).unaffected()).containsExactly("c");
		this.sessions.apply(new Disconnect("c", number, 60, true), 0);
		publish("t", 1, false);
		assertThat(this.deliveries).hasSize(1);
		assertThat(connect("c", null).present()).isFalse();
	}

	@Test
	void sessionEvictedForItsWillEndsOnce() {
		Message message = new Message("wills", new byte[0], new byte[1_000], 1, false, Message.NEVER, "c");
		Connected ended = Objects.requireNonNull(
				this.sessions.apply(new Connect("c", "largest", false, 60, new Will(message, 1_000, -1), true), 0)
					.connected());
		List<Subscription> subscriptions = Stream.of("a", "b", "c", "d", "e")
			.map((filter) -> new Subscription(filter, 1, 0))
			.toList();
		this.sessions.apply(new Subscribe("c", ended.number(), subscriptions), 0);
		this.sessions.apply(new Disconnect("c", ended.number(), 60, true), 0);
		subscriber("watcher", "wills", "x");
		this.sessions.limit(this.sessions.memory().used() + 10, Long.MAX_VALUE);
		this.sessions.apply(new SessionChange.Expire(60 * SECOND, List.of()), 60 * SECOND);
		assertThat(this.sessions.losses().sessions()).isOne();
		assertThat(this.deliveries).hasSize(1);
		assertThat(this.sessions.memory().used())
			.isEqualTo(Objects.requireNonNull(this.sessions.find("watcher")).bytes());
	}

	@Test
	void endedSessionWithoutConnectionDoesNotExpire() {
		long number = connect("c", new Will(message("wills", 1, false, "c"), 1_000, -1)).number();
		subscriber("watcher", "wills");
		this.sessions.apply(new Disconnect("c", number, 60, true), 0);
		assertThat(this.sessions.nextDeadline()).isEqualTo(60 * SECOND);
		this.sessions.apply(new End("c", false), 0);
		assertThat(this.sessions.nextDeadline()).isEqualTo(Message.NEVER);
		assertThat(this.deliveries).isEmpty();
	}

	@Test
	void willIsNotPublishedIfClientReturnsAfterRestart() {
		subscriber("watcher", "wills");
		this.sessions.apply(new Connect("c", "", true, 0, new Will(message("wills", 1, false, "c"), 0, -1), true), 0);
		this.sessions.start(0);
		assertThat(this.sessions.nextDeadline()).isEqualTo(30 * SECOND);
		this.sessions.apply(new Connect("c", "", true, 0, null, true), SECOND);
		assertThat(Objects.requireNonNull(this.sessions.find("watcher")).queuedBytes()).isZero();
		this.sessions.apply(new SessionChange.Expire(100 * SECOND, List.of()), 100 * SECOND);
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
		this.sessions.routing().subscribe(watcher, new Subscription("t", 1, 0));
		Message message = message("t", 2, false, "p");
		for (int i = 0; i < 2; i++) {
			long number = connect("p", null).number();
			this.sessions.apply(Objects.requireNonNull(route(message, number, 5)), 0);
		}
		assertThat(this.deliveries).hasSize(1);
		// The message is from an earlier connection.
		this.sessions.apply(Objects.requireNonNull(route(message, 1, 6)), 0);
		assertThat(this.deliveries).hasSize(1);
	}

	@Test
	void eachRetainedMessageReachesOneMember() {
		Session other = Session.of("other", "", this.deliveries::add);
		this.sessions.routing().subscribe(other, new Subscription("$share/g/t", 1, 0));
		subscriber("stored", "$share/g/t");
		for (int i = 0; i < 4; i++) {
			publish("t", 1, true);
		}
		assertThat(this.deliveries).hasSize(4);
		assertThat(numbers()).containsOnlyOnce(1L, 2L);
	}

	@Test
	void dropsMessagesAboveSessionLimit() {
		subscriber("c", "t");
		long held = Objects.requireNonNull(this.sessions.find("c")).bytes();
		this.sessions.limit(Long.MAX_VALUE, held + 250);
		publish("t", 1, false);
		publish("t", 1, false);
		publish("t", 0, false);
		assertThat(this.deliveries).extracting(Delivery::qos).containsExactly(1, 0);
		assertThat(this.sessions.losses()).isEqualTo(new Losses(0, 0, 1, ""));
	}

	@Test
	void heaviestUserLosesSessionsBeforeRetainedMessages() {
		this.sessions.limit(16_000, Long.MAX_VALUE);
		for (int i = 0; i < 20; i++) {
			connectAs("hoarder", "hoarder-" + i);
			this.sessions.apply(new Disconnect("hoarder-" + i, i + 1, 60, false), 0);
			retain("hoarder", "hoarder/" + i);
		}
		assertThat(this.sessions.memory().used()).isBetween(11_000L, 12_000L);
		Connected other = Objects.requireNonNull(connectAs("other", "other").connected());
		Subscribe subscribe = new Subscribe("other", other.number(),
				List.of(new Subscription("a", 1, 0), new Subscription("b", 1, 0), new Subscription("c", 1, 0),
						new Subscription("d", 1, 0), new Subscription("e", 1, 0)));
		assertThat(this.sessions.apply(subscribe, 0).unaffected()).isEmpty();
		for (int i = 0; i < 5; i++) {
			assertThat(retain("other", "other/" + i).refused()).isFalse();
		}
		assertThat(this.sessions.losses().sessions()).isPositive();
		assertThat(this.sessions.losses().latest()).isEqualTo("hoarder");
		assertThat(this.sessions.memory().used()).isLessThanOrEqualTo(16_000);
	}

	@Test
	void heaviestUserIsRefused() {
		this.sessions.limit(4_600, Long.MAX_VALUE);
		connectAs("small", "small");
		int refused = 0;
		for (int i = 0; i < 20; i++) {
			refused += connectAs("hoarder", "hoarder-" + i).refused() ? 1 : 0;
		}
		assertThat(refused).isBetween(14, 16);
		assertThat(this.sessions.losses()).isEqualTo(new Losses(0, 0, 0, ""));
		assertThat(retain("hoarder", "t").refused()).isTrue();
		assertThat(retain("small", "t").refused()).isFalse();
	}

	@Test
	void queueOfConnectedHoarderGivesWay() {
		this.sessions.limit(1_000_000, Long.MAX_VALUE);
		Connected slow = Objects.requireNonNull(connectAs("hoarder", "slow").connected());
		this.sessions.apply(new Subscribe("slow", slow.number(), List.of(new Subscription("t", 1, 0))), 0);
		this.sessions.attach("slow", slow.number(), this.deliveries::add);
		for (int i = 0; i < 5_000; i++) {
			publish("t", 1, false);
		}
		assertThat(this.sessions.memory().used()).isLessThan(760_000).isGreaterThan(740_000);
		for (int i = 0; i < 600; i++) {
			assertThat(retain("other", "other/" + i).refused()).isFalse();
		}
		// Messages that the connection has received, and its acknowledgments, are not
		// affected.
		assertThat(this.deliveries).hasSize(Session.WINDOW);
		this.sessions.apply(
				new Acknowledge("slow", slow.number(), false, numbers().stream().mapToLong((each) -> each).toArray()),
				0);
		publish("t", 1, false);
		assertThat(this.deliveries).hasSize(Session.WINDOW + 1);
	}

	@Test
	void discardsWillOfEvictedSession() {
		this.sessions.limit(3_000, Long.MAX_VALUE);
		Session watcher = Session.of("watcher", "", this.deliveries::add);
		this.sessions.routing().subscribe(watcher, new Subscription("wills", 1, 0));
		Will will = new Will(message("wills", 1, false, "c"), 30, -1);
		this.sessions.apply(new Connect("c", "hoarder", false, 60, will, true), 0);
		this.sessions.apply(new Disconnect("c", 1, 60, true), 0);
		retain("hoarder", "t");
		retain("hoarder", "u");
		for (int i = 0; i < 3; i++) {
			connectAs("other-" + i, "other-" + i);
		}
		assertThat(this.sessions.find("c")).isNull();
		assertThat(this.deliveries).isEmpty();
	}

	/**
	 * A session's will needs room, for which the session itself would have to end.
	 */
	@Test
	void sessionEndsOnceWhenItsWillNeedsRoom() {
		this.sessions.limit(4_000, Long.MAX_VALUE);
		Connected other = Objects.requireNonNull(connectAs("other", "other").connected());
		this.sessions.apply(new Subscribe("other", other.number(), List.of(new Subscription("wills", 1, 0))), 0);
		for (String clientId : List.of("a", "b")) {
			Will will = new Will(new Message("wills", new byte[0], new byte[180], 1, false, Message.NEVER, "c"), 1, -1);
			this.sessions.apply(new Connect(clientId, "hoarder", false, 1, will, true), 0);
			this.sessions.apply(new Disconnect(clientId,
					Objects.requireNonNull(this.sessions.find(clientId)).connectionNumber(), 1, true), 0);
		}
		this.sessions.apply(new SessionChange.Expire(2 * SECOND, List.of()), 2 * SECOND);
		assertThat(this.sessions.count()).isOne();
		assertThat(this.sessions.memory().used())
			.isEqualTo(Objects.requireNonNull(this.sessions.find("other")).bytes());
	}

	@Test
	void clientContinuesSessionAboveLimit() {
		connectAs("user", "c");
		this.sessions.limit(100, 100);
		assertThat(connectAs("user", "c").connected()).isNotNull();
		assertThat(connectAs("user", "d").refused()).isTrue();
	}

	@Test
	void lateMessageReachesSharedSubscriberWithoutLog() {
		subscriber("stored", "$share/g/t");
		List<Delivery> direct = new ArrayList<>();
		this.sessions.routing().subscribe(Session.of("s", "", direct::add), new Subscription("$share/g/t", 1, 0));
		int logged = 0;
		for (int i = 0; i < 10; i++) {
			Message message = message("t", 1, false, "p");
			Publish change = this.sessions.routing().route(message, "", 0, 0, true);
			if (change != null) {
				logged++;
				this.sessions.apply(change, 0);
			}
			else {
				this.sessions.routing().deliver(message);
			}
		}
		assertThat(logged).isEqualTo(5);
		assertThat(direct).hasSize(5);
		assertThat(this.deliveries).hasSize(5);
	}

	@Test
	void storedMemberWithQos0ReceivesRetainedMessages() {
		long number = connect("c", null).number();
		this.sessions.apply(new Subscribe("c", number, List.of(new Subscription("$share/g/t", 0, 0))), 0);
		this.sessions.attach("c", number, this.deliveries::add);
		publish("t", 1, true);
		assertThat(this.deliveries).hasSize(1);
	}

	@Test
	void willsWaitAgainAfterAnotherStart() {
		Will will = new Will(message("wills", 1, false, "c"), 0, -1);
		this.sessions.apply(new Connect("c", "", true, 0, will, true), 0);
		this.sessions.start(0);
		this.sessions.start(29 * SECOND);
		assertThat(this.sessions.nextDeadline()).isEqualTo(59 * SECOND);
	}

	@Test
	void snapshotRetainsOnlyMessagesItContains() {
		long number = subscriber("c", "t");
		publish("t", 1, false);
		publish("t", 1, false);
		this.sessions.beginSnapshot();
		publish("t", 1, false);
		this.sessions.apply(new Acknowledge("c", number, false, new long[] { 2, 3 }), 0);
		long cost = this.deliveries.get(0).cost();
		assertThat(this.sessions.keptBytes()).isEqualTo(cost);
		this.sessions.endSnapshot();
		assertThat(this.sessions.keptBytes()).isZero();
	}

	private Applied connectAs(String principal, String clientId) {
		return this.sessions.apply(new Connect(clientId, principal, false, 60, null, true), 0);
	}

	private Applied retain(String principal, String topic) {
		return this.sessions.apply(Objects
			.requireNonNull(this.sessions.routing().route(message(topic, 1, true, "p"), principal, 0, 0, false)), 0);
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
	void retainedMessageReachesUnstoredSessionWhenApplied() {
		Session session = Session.of("s", "", this.deliveries::add);
		Publish change = Objects.requireNonNull(route(message("t", 1, true, "p"), 0, 0));
		this.sessions.routing().subscribe(session, new Subscription("t", 1, 0));
		assertThat(this.deliveries).isEmpty();
		this.sessions.apply(change, 0);
		assertThat(this.deliveries).hasSize(1);
		Subscription all = new Subscription("+", 1, 0);
		assertThat(this.sessions.routing().subscribe(session, all)).isTrue();
		this.sessions.routing().sendRetained(session, all, 0);
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
		this.sessions.apply(new Publish(message("t", 1, false, "p"), "", 0, 0, Map.of(), false, 0), 0);
		assertThat(this.deliveries).isEmpty();
	}

	/** Otherwise, one change would end all sessions and delay store requests. */
	@Test
	void sessionsInterruptedByStartEndAtDistinctTimes() {
		for (int i = 0; i < 3; i++) {
			this.sessions.apply(new Connect("client" + i, "", false, 60, null, true), 0);
		}
		this.sessions.start(0);
		assertThat(this.sessions.all().stream().map(Session::end).distinct()).hasSize(3);
	}

}
