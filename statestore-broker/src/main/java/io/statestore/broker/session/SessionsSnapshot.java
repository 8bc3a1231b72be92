package io.statestore.broker.session;

import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.statestore.broker.codec.Decoder;
import io.statestore.broker.codec.Encoder;
import org.jspecify.annotations.Nullable;

/**
 * The sessions, their queued messages, and the retained messages at one time. Encoded in
 * steps, by any thread, while the state changes: all it refers to is immutable, except
 * for the changes of a delivery, which name their epoch. A message is encoded once,
 * however many sessions it waits for.
 * <p>
 * Internal: not part of the API.
 */
public final class SessionsSnapshot {

	private static final int SESSION = 1;

	private static final int DELIVERY = 2;

	private static final int RETAINED = 3;

	private static final int END = 4;

	private static final int CONNECTED = 1;

	private static final int WILL = 1 << 1;

	private static final int RETAIN = 1 << 2;

	private static final int REPEATED = 1 << 3;

	private static final int RECEIVED = 1 << 4;

	private static final int KNOWN = 1 << 5;

	/** Epoch of restored changes. */
	private static final int RESTORED = 1;

	private final Iterator<State> sessions;

	private final Iterator<Message> retained;

	/** Numbers of the messages that were encoded, because several sessions share them. */
	private final Map<Message, Integer> known = new IdentityHashMap<>();

	private @Nullable State current;

	private @Nullable Delivery next;

	private final int epoch;

	SessionsSnapshot(Collection<Session> sessions, List<Message> retained, int epoch) {
		this.epoch = epoch;
		List<State> states = new ArrayList<>(sessions.size());
		sessions.forEach((session) -> states.add(new State(session)));
		this.sessions = states.iterator();
		this.retained = retained.iterator();
	}

	/**
	 * Encodes the next item.
	 * @param encoder receives the bytes
	 * @return {@code false} after the end
	 */
	public boolean encodeNext(Encoder encoder) {
		if (this.current != null && this.next != null) {
			Delivery delivery = this.next;
			this.next = (delivery != this.current.last) ? delivery.next() : null;
			if (!delivery.isCompleted(this.epoch)) {
				encode(delivery, encoder);
			}
			return true;
		}
		if (this.sessions.hasNext()) {
			this.current = this.sessions.next();
			this.next = this.current.first;
			this.current.encode(encoder);
			return true;
		}
		if (this.retained.hasNext()) {
			this.retained.next().encode(encoder.writeByte(RETAINED));
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
	 * @param sessions receives the content
	 */
	public static void restore(Decoder decoder, Sessions sessions) {
		List<Message> known = new ArrayList<>();
		Session session = null;
		while (true) {
			int item = decoder.readByte();
			if (item == DELIVERY && session != null) {
				readDelivery(decoder, session, known);
				continue;
			}
			if (session != null) {
				sessions.restore(session);
				session = null;
			}
			if (item == SESSION) {
				session = readSession(decoder);
			}
			else if (item == RETAINED) {
				sessions.restore(Message.decode(decoder));
			}
			else if (item == END) {
				return;
			}
			else {
				throw decoder.malformed("an item of the sessions has type " + item);
			}
		}
	}

	private static Session readSession(Decoder decoder) {
		Session session = new Session(decoder.readString(), decoder.readString());
		int flags = decoder.readByte();
		long expirySeconds = decoder.readNumber();
		session.connected(expirySeconds, decoder.readInt(0xFFFF),
				SessionChangeCodec.decodeWill(decoder, (flags & WILL) != 0));
		long end = decoder.readLong();
		long willTime = decoder.readLong();
		if ((flags & CONNECTED) == 0) {
			session.disconnected(expirySeconds, end, willTime, RESTORED);
		}
		session.restoreLastNumber(decoder.readNumber());
		int subscriptions = decoder.readInt(Integer.MAX_VALUE);
		for (int i = 0; i < subscriptions; i++) {
			session.subscribe(Subscription.decode(decoder));
		}
		int received = decoder.readInt(0xFFFF);
		for (int i = 0; i < received; i++) {
			session.receive(decoder.readInt(0xFFFF));
		}
		return session;
	}

	private static void readDelivery(Decoder decoder, Session session, List<Message> known) {
		int flags = decoder.readByte();
		long number = decoder.readNumber();
		int[] identifiers = new int[decoder.readInt(0xFFFF)];
		for (int i = 0; i < identifiers.length; i++) {
			identifiers[i] = decoder.readInt(Integer.MAX_VALUE);
		}
		Message message;
		if ((flags & KNOWN) != 0) {
			int index = decoder.readInt(Integer.MAX_VALUE);
			if (index >= known.size()) {
				throw decoder.malformed("a message of a session is missing");
			}
			message = known.get(index);
		}
		else {
			message = Message.decode(decoder);
			known.add(message);
		}
		Delivery delivery = new Delivery(message, flags & 3, (flags & RETAIN) != 0, identifiers, number);
		if ((flags & REPEATED) != 0) {
			delivery.setRepeated(RESTORED);
		}
		if ((flags & RECEIVED) != 0) {
			delivery.setReceived(RESTORED);
		}
		long lastNumber = session.lastNumber();
		session.append(delivery);
		session.restoreLastNumber(lastNumber);
	}

	/** A session at the time of the snapshot. */
	private static final class State {

		private final Session session;

		private final long expirySeconds;

		private final int receiveMaximum;

		private final boolean connected;

		private final long end;

		private final long willTime;

		private final long lastNumber;

		private final Map<String, Subscription> subscriptions;

		private final Set<Integer> received;

		private final @Nullable Will will;

		private final @Nullable Delivery first;

		private final @Nullable Delivery last;

		State(Session session) {
			this.session = session;
			this.expirySeconds = session.expirySeconds();
			this.receiveMaximum = session.receiveMaximum();
			this.connected = session.isConnected();
			this.end = session.end();
			this.willTime = session.willTime();
			this.lastNumber = session.lastNumber();
			this.subscriptions = session.subscriptions();
			this.received = Set.copyOf(session.received());
			this.will = session.will();
			this.first = session.first();
			this.last = session.last();
		}

		void encode(Encoder encoder) {
			encoder.writeByte(SESSION)
				.writeString(this.session.clientId())
				.writeString(this.session.principal())
				.writeByte((this.connected ? CONNECTED : 0) | ((this.will != null) ? WILL : 0))
				.writeNumber(this.expirySeconds)
				.writeNumber(this.receiveMaximum);
			if (this.will != null) {
				SessionChangeCodec.encode(this.will, encoder);
			}
			encoder.writeLong(this.end)
				.writeLong(this.willTime)
				.writeNumber(this.lastNumber)
				.writeNumber(this.subscriptions.size());
			this.subscriptions.values().forEach((subscription) -> subscription.encode(encoder));
			encoder.writeNumber(this.received.size());
			this.received.forEach(encoder::writeNumber);
		}

	}

}
