package io.statestore.broker.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/** A session of {@link ModelSessions}. */
final class ModelSession {

	final TreeMap<String, Subscription> subscriptions = new TreeMap<>();

	final Set<Integer> unreleased = new TreeSet<>();

	final List<Queued> queue = new ArrayList<>();

	final boolean stored;

	String principal = "";

	boolean connected = true;

	boolean interrupted;

	long number;

	long expirySeconds;

	@Nullable Will will;

	long end = Message.NEVER;

	long willTime = Message.NEVER;

	long lastNumber;

	ModelSession(boolean stored) {
		this.stored = stored;
	}

	void disconnect(long expirySeconds, long end, long willTime) {
		this.connected = false;
		this.expirySeconds = expirySeconds;
		this.end = end;
		this.willTime = willTime;
		for (int i = 0; i < Math.min(Session.WINDOW, this.queue.size()); i++) {
			this.queue.set(i, this.queue.get(i).sentBefore());
		}
	}

	void add(Message message, int qos, boolean retain, List<Integer> identifiers) {
		this.lastNumber++;
		this.queue.add(new Queued(message, qos, retain, identifiers, this.lastNumber, false, false));
	}

	/** A queued message. */
	record Queued(Message message, int qos, boolean retain, List<Integer> identifiers, long number, boolean repeated,
			boolean received) {

		Queued sentBefore() {
			return new Queued(this.message, this.qos, this.retain, this.identifiers, this.number, true, this.received);
		}

		Queued receivedToo() {
			return new Queued(this.message, this.qos, this.retain, this.identifiers, this.number, this.repeated, true);
		}

	}

}
