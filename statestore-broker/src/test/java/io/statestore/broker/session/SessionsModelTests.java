package io.statestore.broker.session;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.statestore.broker.codec.Decoder;
import io.statestore.broker.codec.Encoder;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares {@link Sessions} with {@link ModelSessions} under random changes. */
class SessionsModelTests {

	private static final int STEPS = Integer.getInteger("session.steps", 2_000);

	@Property
	void behavesLikeModel(@ForAll long seed) {
		RandomChanges random = new RandomChanges(seed);
		List<Message> published = new ArrayList<>();
		Sessions sessions = new Sessions();
		// Receives messages delivered to sessions that are not stored when a change is
		// applied.
		Session watcher = Session.of("watcher", "", (delivery) -> published.add(delivery.message()));
		for (String topic : RandomChanges.TOPICS) {
			sessions.routing().subscribe(watcher, new Subscription(topic, 2, 0));
		}
		ModelSessions model = new ModelSessions();
		for (int step = 0; step < STEPS; step++) {
			if (random.nextInt(500) == 0) {
				sessions.start(random.now());
				model.start(random.now());
			}
			SessionChange change = random.next(model);
			assertThat(sessions.apply(recode(change), random.now()).connected())
				.isEqualTo(model.apply(recode(change), random.now()));
			if (step % 50 == 0) {
				assertEqual(sessions, model);
				assertThat(describe(published)).isEqualTo(describe(model.published));
			}
		}
	}

	/**
	 * As if nodes restarted: some from the beginning of the log, some from a snapshot.
	 */
	@Property
	void machinesWithSameChangesAreEqual(@ForAll long seed) {
		RandomChanges random = new RandomChanges(seed);
		Sessions first = new Sessions();
		Sessions second = new Sessions();
		ModelSessions model = new ModelSessions();
		for (int step = 0; step < STEPS; step++) {
			SessionChange change = random.next(model);
			model.apply(change, random.now());
			if (random.nextInt(100) == 0) {
				// Effects of only one machine's snapshots must not matter.
				first.endSnapshot();
				first.beginSnapshot();
			}
			first.apply(change, random.now());
			second.apply(recode(change), random.now());
			if (random.nextInt(300) == 0) {
				second = restored(dump(second));
			}
			if (random.nextInt(300) == 0) {
				first.start(random.now());
				second.start(random.now());
				model.start(random.now());
			}
		}
		assertEqual(first, model);
		assertEqual(second, model);
		assertThat(second.nextDeadline()).isEqualTo(first.nextDeadline());
		assertThat(describe(second)).isEqualTo(describe(first));
	}

	/** Users' losses due to exhausted memory must also be the same. */
	@Property
	void machinesWithSameLimitsAreEqual(@ForAll long seed) {
		RandomChanges random = new RandomChanges(seed);
		Sessions first = new Sessions();
		Sessions second = new Sessions();
		first.limit(12_000, 4_500);
		second.limit(12_000, 4_500);
		ModelSessions model = new ModelSessions();
		for (int step = 0; step < STEPS; step++) {
			SessionChange change = random.next(model);
			model.apply(change, random.now());
			Applied applied = first.apply(change, random.now());
			assertThat(second.apply(recode(change), random.now())).isEqualTo(applied);
			if (random.nextInt(300) == 0) {
				second = restored(dump(second));
				second.limit(12_000, 4_500);
			}
			if (random.nextInt(300) == 0) {
				first.start(random.now());
				second.start(random.now());
				model.start(random.now());
			}
			assertThat(first.memory().used())
				.isEqualTo(first.memory().users().values().stream().mapToLong(SessionMemory.User::bytes).sum());
		}
		assertThat(describe(second)).isEqualTo(describe(first));
	}

	/**
	 * Changes after a snapshot are in the log and are applied again on top of the
	 * snapshot.
	 */
	@Property
	void snapshotExcludesLaterChanges(@ForAll long seed) {
		RandomChanges random = new RandomChanges(seed);
		Sessions sessions = new Sessions();
		ModelSessions model = new ModelSessions();
		for (int step = 0; step < STEPS / 2; step++) {
			SessionChange change = random.next(model);
			model.apply(change, random.now());
			sessions.apply(change, random.now());
		}
		SessionsSnapshot snapshot = sessions.beginSnapshot();
		Encoder encoder = new Encoder(64);
		boolean more = true;
		List<SessionChange> later = new ArrayList<>();
		List<Long> times = new ArrayList<>();
		while (more) {
			SessionChange change = random.next(model);
			model.apply(change, random.now());
			sessions.apply(change, random.now());
			later.add(change);
			times.add(random.now());
			more = snapshot.encodeNext(encoder);
		}
		sessions.endSnapshot();
		Sessions restored = restored(encoder.toArray());
		for (int i = 0; i < later.size(); i++) {
			restored.apply(later.get(i), times.get(i));
		}
		assertEqual(restored, model);
		assertEqual(sessions, model);
	}

	private static SessionChange recode(SessionChange change) {
		Encoder encoder = new Encoder(64);
		SessionChangeCodec.encode(change, encoder);
		Decoder decoder = new Decoder(encoder.toArray(), "change");
		SessionChange decoded = SessionChangeCodec.decode(decoder);
		assertThat(decoder.isAtEnd()).isTrue();
		return decoded;
	}

	private static byte[] dump(Sessions sessions) {
		SessionsSnapshot snapshot = sessions.beginSnapshot();
		Encoder encoder = new Encoder(64);
		boolean more = true;
		while (more) {
			more = snapshot.encodeNext(encoder);
		}
		sessions.endSnapshot();
		return encoder.toArray();
	}

	private static Sessions restored(byte[] snapshot) {
		Sessions sessions = new Sessions();
		Decoder decoder = new Decoder(snapshot, "snapshot");
		SessionsSnapshot.restore(decoder, sessions);
		assertThat(decoder.isAtEnd()).isTrue();
		return sessions;
	}

	private static void assertEqual(Sessions sessions, ModelSessions model) {
		assertThat(sessions.count()).isEqualTo(model.sessions.size());
		List<Message> retained = new ArrayList<>();
		Session reader = Session.of("reader", "", (delivery) -> retained.add(delivery.message()));
		for (String topic : RandomChanges.TOPICS) {
			Subscription subscription = new Subscription(topic, 2, 0);
			sessions.routing().subscribe(reader, subscription);
			sessions.routing().sendRetained(reader, subscription, Long.MIN_VALUE);
			sessions.routing().unsubscribe(reader, topic);
		}
		assertThat(describe(retained)).containsExactlyInAnyOrderElementsOf(describe(model.retained.values()));
		long bytes = model.retained.values()
			.stream()
			.mapToLong((each) -> SessionMemory.RETAINED + SessionMemory.ofLevels(each.topic()) + each.cost())
			.sum();
		for (Map.Entry<String, ModelSession> entry : model.sessions.entrySet()) {
			Session session = Objects.requireNonNull(sessions.find(entry.getKey()));
			assertEqual(session, entry.getValue());
			bytes += session.bytes();
		}
		assertThat(sessions.memory().used()).isEqualTo(bytes);
	}

	private static void assertEqual(Session session, ModelSession expected) {
		assertThat(session.isStored()).isEqualTo(expected.stored);
		assertThat(session.isConnected()).isEqualTo(expected.connected);
		assertThat(session.isInterrupted()).isEqualTo(expected.interrupted);
		assertThat(session.connectionNumber()).isEqualTo(expected.number);
		assertThat(session.principal()).isEqualTo(expected.principal);
		assertThat(session.expirySeconds()).isEqualTo(expected.expirySeconds);
		assertThat(session.subscriptions()).isEqualTo(expected.subscriptions);
		assertThat(session.unreleased()).containsExactlyInAnyOrderElementsOf(expected.unreleased);
		assertThat(session.end()).isEqualTo(expected.end);
		assertThat(session.willTime()).isEqualTo(expected.willTime);
		assertThat(session.queue().lastNumber()).isEqualTo(expected.lastNumber);
		List<String> queue = new ArrayList<>();
		queued(session).forEach((delivery) -> queue.add(describe(new ModelSession.Queued(delivery.message(),
				delivery.qos(), delivery.retain(), Arrays.stream(delivery.identifiers()).boxed().toList(),
				delivery.number(), delivery.isRepeated(), delivery.isReceived()))));
		assertThat(queue).isEqualTo(expected.queue.stream().map(SessionsModelTests::describe).toList());
		long bytes = 0;
		for (ModelSession.Queued queued : expected.queue) {
			bytes += 56 + 4 * queued.identifiers().size() + queued.message().cost();
		}
		assertThat(session.queuedBytes()).isEqualTo(bytes);
		assertThat(session.queue().count()).isEqualTo(queue.size());
		assertThat(session.describe(0).subscriptionCount()).isEqualTo(expected.subscriptions.size());
		long held = expected.subscriptions.keySet().stream().mapToLong(SessionMemory::ofSubscription).sum()
				+ SessionMemory.PACKET_ID * expected.unreleased.size();
		long own = SessionMemory.SESSION + 2L * session.clientId().length()
				+ ((expected.will != null) ? expected.will.message().cost() : 0);
		assertThat(session.bytes() - bytes - held).isEqualTo(own);
	}

	private static List<Delivery> queued(Session session) {
		return Stream
			.iterate(session.queue().first(), Objects::nonNull, (delivery) -> session.queue().next(delivery.number()))
			.toList();
	}

	private static List<String> describe(Sessions sessions) {
		List<String> lines = new ArrayList<>();
		for (Session session : sessions.all()) {
			lines.add(session + " " + session.principal() + session.connectionNumber() + session.isConnected()
					+ session.end() + session.willTime() + new TreeMap<>(session.subscriptions()).keySet()
					+ session.bytes() + session.queue().lastNumber());
			queued(session).forEach((each) -> lines.add(session + " " + each.number() + describe(each.message())
					+ each.qos() + each.isRepeated() + each.isReceived()));
		}
		lines.sort(null);
		sessions.memory()
			.sorted()
			.forEach((user) -> lines.add(user + " " + user.detached() + user.retained().keySet()));
		return lines;
	}

	private static String describe(ModelSession.Queued queued) {
		return queued.number() + ": " + describe(queued.message()) + " QoS " + queued.qos()
				+ (queued.retain() ? " retain" : "") + (queued.repeated() ? " repeated" : "")
				+ (queued.received() ? " received" : "") + " to " + queued.identifiers().stream().sorted().toList();
	}

	private static List<String> describe(Collection<Message> messages) {
		return messages.stream().map(SessionsModelTests::describe).toList();
	}

	private static String describe(Message message) {
		return message.topic() + Arrays.toString(message.properties()) + Arrays.toString(message.payload())
				+ message.qos() + message.retain() + message.expiry() + message.publisher();
	}

	/** Random changes like those made by clients and the server. */
	private static final class RandomChanges {

		private static final String[] FILTERS = { "a", "a/b", "+", "a/#", "#", "+/b", "$share/g/a/#", "$share/h/a/#",
				"$share/g/+" };

		private static final String[] TOPICS = { "a", "b", "a/b", "$a" };

		private final Random random;

		private long now;

		RandomChanges(long seed) {
			this.random = new Random(seed);
		}

		int nextInt(int bound) {
			return this.random.nextInt(bound);
		}

		long now() {
			return this.now;
		}

		SessionChange next(ModelSessions model) {
			this.now += nextInt(3) * ModelSessions.SECOND / 2;
			String clientId = "client-" + nextInt(6);
			ModelSession session = model.sessions.get(clientId);
			long last = (session != null) ? session.number : 0;
			// Sometimes uses the number of an earlier connection.
			long connection = Math.max(0, last - ((nextInt(10) == 0) ? 1 + nextInt(5) : 0));
			return switch (nextInt(15)) {
				case 0 -> connect(clientId);
				case 1 ->
					(session == null || !session.connected) ? connect(clientId) : new SessionChange.Disconnect(clientId,
							connection, (nextInt(3) == 0) ? nextInt(5) : session.expirySeconds, nextInt(3) > 0);
				case 2 -> new SessionChange.Subscribe(clientId, connection,
						List.of(subscription(), subscription(), subscription()));
				case 3 ->
					new SessionChange.Unsubscribe(clientId, connection, List.of(FILTERS[nextInt(FILTERS.length)]));
				case 4, 5 -> {
					long first = ((session != null) ? session.lastNumber : 0) - nextInt(10);
					yield new SessionChange.Acknowledge(clientId, connection, nextInt(3) == 0,
							new long[] { first, first + 1 - nextInt(4) });
				}
				case 6 -> new SessionChange.Release(clientId, connection, 1 + nextInt(3));
				case 7 ->
					new SessionChange.Expire(this.now - nextInt(3), (nextInt(3) == 0) ? List.of(clientId) : List.of());
				// Rarely, because sessions would be short.
				case 8 -> (nextInt(5) == 0) ? new SessionChange.End(clientId, nextInt(3) > 0)
						: new SessionChange.Release(clientId, connection, 1 + nextInt(3));
				default -> new SessionChange.Publish(message(clientId), user(), connection, nextInt(3), members(),
						nextInt(2) == 0, 0);
			};
		}

		private SessionChange connect(String clientId) {
			return new SessionChange.Connect(clientId, user(), nextInt(6) == 0,
					new long[] { 0, 3, 60, Sessions.NO_EXPIRY }[nextInt(4)],
					(nextInt(2) == 0) ? new Will(lasting(message(clientId)), nextInt(5), nextInt(4) - 1) : null,
					nextInt(4) > 0);
		}

		private String user() {
			return (nextInt(8) == 0) ? "" : "user" + nextInt(8) / 7;
		}

		private static Message lasting(Message message) {
			return new Message(message.topic(), message.properties(), message.payload(), message.qos(),
					message.retain(), Message.NEVER, message.publisher());
		}

		private Subscription subscription() {
			return new Subscription(FILTERS[nextInt(FILTERS.length)], nextInt(3) | nextInt(12) << 2, nextInt(3));
		}

		private Message message(String publisher) {
			long expiry = (nextInt(4) == 0) ? this.now + nextInt(10) * ModelSessions.SECOND : Message.NEVER;
			return new Message(TOPICS[nextInt(TOPICS.length)], bytes(), bytes(), nextInt(3), nextInt(3) == 0, expiry,
					publisher);
		}

		private byte[] bytes() {
			byte[] bytes = new byte[nextInt(3)];
			this.random.nextBytes(bytes);
			return bytes;
		}

		private Map<String, String> members() {
			Map<String, String> members = new TreeMap<>();
			for (String filter : FILTERS) {
				if (filter.startsWith("$") && nextInt(3) > 0) {
					members.put(filter, "client-" + nextInt(6));
				}
			}
			return members;
		}

	}

}
