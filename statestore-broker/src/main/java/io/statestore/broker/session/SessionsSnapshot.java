package io.statestore.broker.session;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;

import io.statestore.broker.codec.Decoder;
import io.statestore.broker.codec.Encoder;
import io.statestore.broker.session.SessionMemory.User;
import org.jspecify.annotations.Nullable;

/**
 * The sessions, their queued messages, and the retained messages at one point in time.
 * Encoded in steps by a single thread, which need not be the state machine's thread,
 * while the state continues to change. The data it refers to is immutable, is only
 * appended to, or records the epoch of each change. A message queued in several sessions
 * is encoded once.
 * <p>
 * Internal: not part of the API.
 */
public final class SessionsSnapshot {

	private static final int BEGIN = 0;

	private static final int SESSION = 1;

	private static final int DELIVERY = 2;

	private static final int RETAINED = 3;

	private static final int END = 4;

	private static final int CONNECTED = 1;

	private static final int WILL = 1 << 1;

	private static final int STORED = 1 << 2;

	private static final int INTERRUPTED = 1 << 3;

	private static final int RETAIN = 1 << 2;

	private static final int REPEATED = 1 << 3;

	private static final int RECEIVED = 1 << 4;

	private static final int KNOWN = 1 << 5;

	/** Epoch assigned to restored flags. */
	private static final int RESTORED = 1;

	private final Queue<State> sessions = new ArrayDeque<>();

	private final Queue<Retained> retained = new ArrayDeque<>();

	/**
	 * Numbers of messages that are already encoded, because several sessions may share
	 * them.
	 */
	private final Map<Message, Integer> known = new IdentityHashMap<>();

	private final long connections;

	private final int epoch;

	private boolean begun;

	private DeliveryQueue.@Nullable Reader deliveries;

	/**
	 * Creates a snapshot.
	 * @param sessions all sessions
	 * @param memory the users, whose sessions and messages are encoded in the order in
	 * which they would be lost
	 */
	SessionsSnapshot(Collection<Session> sessions, SessionMemory memory, long connections, int epoch) {
		Map<String, Session> detached = new HashMap<>();
		List<Session> connected = new ArrayList<>();
		for (Session session : sessions) {
			if (session.isConnected()) {
				connected.add(session);
			}
			else {
				detached.put(session.clientId(), session);
			}
		}
		// Sorted so that the order is the same on all nodes.
		connected.sort(Comparator.comparing(Session::clientId));
		connected.forEach((session) -> this.sessions.add(new State(session)));
		for (User user : memory.sorted()) {
			user.detached().forEach((id) -> this.sessions.add(new State(Objects.requireNonNull(detached.get(id)))));
			user.retained().values().forEach((message) -> this.retained.add(new Retained(user.principal(), message)));
		}
		this.connections = connections;
		this.epoch = epoch;
	}

	/**
	 * Encodes the next item.
	 * @param encoder receives the bytes
	 * @return {@code false} after the end
	 */
	public boolean encodeNext(Encoder encoder) {
		if (!this.begun) {
			this.begun = true;
			encoder.writeByte(BEGIN).writeNumber(this.connections);
			return true;
		}
		if (this.deliveries != null) {
			Delivery delivery = this.deliveries.next(this.epoch);
			if (delivery != null) {
				encode(delivery, encoder);
				return true;
			}
			this.deliveries = null;
		}
		State session = this.sessions.poll();
		if (session != null) {
			session.encode(encoder);
			this.deliveries = session.deliveries;
			return true;
		}
		Retained next = this.retained.poll();
		if (next != null) {
			next.message.encode(encoder.writeByte(RETAINED).writeString(next.principal));
			return true;
		}
		encoder.writeByte(END);
		return false;
	}

	private void encode(Delivery delivery, Encoder encoder) {
		Integer known = this.known.get(delivery.message());
		encoder.writeByte(DELIVERY)
			.writeByte(
					delivery.qos() | (delivery.retain() ? RETAIN : 0) | (delivery.isRepeated(this.epoch) ? REPEATED : 0)
							| (delivery.isReceived(this.epoch) ? RECEIVED : 0) | ((known != null) ? KNOWN : 0))
			.writeNumber(delivery.number())
			.writeNumber(delivery.identifiers().length);
		for (int identifier : delivery.identifiers()) {
			encoder.writeNumber(identifier);
		}
		if (known != null) {
			encoder.writeNumber(known);
		}
		else {
			this.known.put(delivery.message(), this.known.size());
			delivery.message().encode(encoder);
		}
	}

	/**
	 * Reads a snapshot.
	 * @param decoder the input
	 * @param sessions receives the snapshot's content
	 */
	public static void restore(Decoder decoder, Sessions sessions) {
		List<Message> known = new ArrayList<>();
		Session session = null;
		for (int item = decoder.readByte();; item = decoder.readByte()) {
			if (item == DELIVERY && session != null) {
				readDelivery(decoder, session, known);
				continue;
			}
			if (session != null) {
				sessions.restore(session);
				session = null;
			}
			switch (item) {
				case BEGIN -> sessions.restore(decoder.readNumber());
				case SESSION -> session = readSession(decoder, sessions);
				case RETAINED -> {
					String principal = decoder.readString();
					sessions.restore(Message.decode(decoder), principal);
				}
				case END -> {
					return;
				}
				default -> throw decoder.malformed("an item of the sessions has type " + item);
			}
		}
	}

	private static Session readSession(Decoder decoder, Sessions sessions) {
		String clientId = decoder.readString();
		String principal = decoder.readString();
		int flags = decoder.readByte();
		long number = decoder.readNumber();
		long expirySeconds = SessionChangeCodec.decodeInterval(decoder);
		Will will = SessionChangeCodec.decodeWill(decoder, (flags & WILL) != 0);
		if (sessions.find(clientId) != null) {
			throw decoder.malformed("a session is repeated");
		}
		Session session = new Session(clientId, (flags & STORED) != 0);
		session.connected(number, new SessionChange.Connect(clientId, principal, false, expirySeconds, will, true));
		long end = decoder.readLong();
		long willTime = decoder.readLong();
		if ((flags & CONNECTED) == 0) {
			session.disconnected(expirySeconds, end, willTime, RESTORED);
		}
		if ((flags & INTERRUPTED) != 0) {
			session.setInterrupted();
		}
		session.queue().setLastNumber(decoder.readNumber());
		SessionChangeCodec.decodeList(decoder, () -> Subscription.decode(decoder)).forEach(session::subscribe);
		SessionChangeCodec.decodeList(decoder, () -> decoder.readInt(0xFFFF)).forEach(session::receive);
		return session;
	}

	private static void readDelivery(Decoder decoder, Session session, List<Message> known) {
		int flags = decoder.readByte();
		long number = decoder.readNumber();
		int[] identifiers = SessionChangeCodec.decodeList(decoder, () -> decoder.readInt(Integer.MAX_VALUE))
			.stream()
			.mapToInt(Integer::intValue)
			.toArray();
		int index = ((flags & KNOWN) != 0) ? decoder.readInt(Integer.MAX_VALUE) : known.size();
		if (index == known.size() && (flags & KNOWN) == 0) {
			known.add(Message.decode(decoder));
		}
		if (index >= known.size() || (flags & 3) == 3 || !session.queue().isNext(number)) {
			throw decoder.malformed("a message of a session is invalid");
		}
		Delivery delivery = new Delivery(known.get(index), flags & 3, (flags & RETAIN) != 0, identifiers, number);
		if ((flags & REPEATED) != 0) {
			delivery.setRepeated(RESTORED);
		}
		if ((flags & RECEIVED) != 0) {
			delivery.setReceived(RESTORED);
		}
		session.queue().add(delivery);
	}

	/** A retained message and the principal that published it. */
	private record Retained(String principal, Message message) {
	}

	/** A session at the time of the snapshot. */
	private static final class State {

		private final String clientId;

		private final String principal;

		private final int flags;

		private final long number;

		private final long expirySeconds;

		private final @Nullable Will will;

		private final long end;

		private final long willTime;

		private final long lastNumber;

		private final Map<String, Subscription> subscriptions;

		private final List<Integer> unreleased;

		private final DeliveryQueue.Reader deliveries;

		State(Session session) {
			this.clientId = session.clientId();
			this.principal = session.principal();
			this.will = session.will();
			this.flags = (session.isConnected() ? CONNECTED : 0) | ((this.will != null) ? WILL : 0)
					| (session.isStored() ? STORED : 0) | (session.isInterrupted() ? INTERRUPTED : 0);
			this.number = session.connectionNumber();
			this.expirySeconds = session.expirySeconds();
			this.end = session.end();
			this.willTime = session.willTime();
			this.lastNumber = session.queue().lastNumber();
			this.subscriptions = session.shareSubscriptions();
			this.unreleased = session.unreleased().stream().sorted().toList();
			this.deliveries = session.queue().read();
		}

		void encode(Encoder encoder) {
			encoder.writeByte(SESSION)
				.writeString(this.clientId)
				.writeString(this.principal)
				.writeByte(this.flags)
				.writeNumber(this.number)
				.writeNumber(this.expirySeconds);
			if (this.will != null) {
				SessionChangeCodec.encode(this.will, encoder);
			}
			encoder.writeLong(this.end)
				.writeLong(this.willTime)
				.writeNumber(this.lastNumber)
				.writeNumber(this.subscriptions.size());
			this.subscriptions.values().forEach((subscription) -> subscription.encode(encoder));
			encoder.writeNumber(this.unreleased.size());
			this.unreleased.forEach(encoder::writeNumber);
		}

	}

}
