package io.statestore.broker.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.statestore.broker.packet.TopicFilter;
import io.statestore.broker.session.SessionChange.Acknowledge;
import io.statestore.broker.session.SessionChange.Connect;
import io.statestore.broker.session.SessionChange.Disconnect;
import io.statestore.broker.session.SessionChange.Expire;
import io.statestore.broker.session.SessionChange.Publish;
import io.statestore.broker.session.SessionChange.Release;
import io.statestore.broker.session.SessionChange.Subscribe;
import io.statestore.broker.session.SessionChange.Unsubscribe;
import org.jspecify.annotations.Nullable;

/** What {@link Sessions} does, in the simplest way: by looking at everything. */
final class ModelSessions {

	static final long SECOND = 1_000_000_000L;

	final TreeMap<String, ModelSession> sessions = new TreeMap<>();

	final TreeMap<String, Message> retained = new TreeMap<>();

	final List<Message> wills = new ArrayList<>();

	boolean apply(SessionChange change, long now) {
		if (change instanceof Connect connect) {
			return connect(connect, now);
		}
		if (change instanceof Expire) {
			expire(now);
		}
		else if (change instanceof Publish publish) {
			ModelSession publisher = (publish.packetId() != 0) ? this.sessions.get(publish.message().publisher())
					: null;
			if (publisher == null || publisher.received.add(publish.packetId())) {
				publish(publish.message(), publish.members());
			}
		}
		else if (change instanceof Disconnect disconnect && this.sessions.containsKey(disconnect.clientId())) {
			disconnect(disconnect, now);
		}
		else if (change instanceof Subscribe subscribe && this.sessions.containsKey(subscribe.clientId())) {
			subscribe.subscriptions().forEach((each) -> subscribe(subscribe.clientId(), each, now));
		}
		else if (change instanceof Unsubscribe unsubscribe && this.sessions.containsKey(unsubscribe.clientId())) {
			ModelSession session = this.sessions.get(unsubscribe.clientId());
			unsubscribe.filters().forEach(session.subscriptions::remove);
		}
		else if (change instanceof Release release && this.sessions.containsKey(release.clientId())) {
			this.sessions.get(release.clientId()).received.remove(release.packetId());
		}
		else if (change instanceof Acknowledge acknowledge && this.sessions.containsKey(acknowledge.clientId())) {
			acknowledge(this.sessions.get(acknowledge.clientId()), acknowledge);
		}
		return false;
	}

	void start(long now) {
		this.sessions.values().stream().filter((session) -> session.connected).forEach((session) -> {
			long end = end(session.expirySeconds, now);
			long willTime = Message.NEVER;
			if (session.will != null) {
				willTime = now + Math.max(30, session.will.delaySeconds()) * SECOND;
				end = Math.max(end, willTime);
			}
			session.disconnect(session.expirySeconds, end, willTime);
		});
	}

	private static long end(long expirySeconds, long now) {
		return (expirySeconds == Sessions.NO_EXPIRY) ? Message.NEVER : now + expirySeconds * SECOND;
	}

	private boolean connect(Connect connect, long now) {
		ModelSession session = this.sessions.get(connect.clientId());
		boolean present = session != null && session.expirySeconds > 0 && !connect.cleanStart();
		if (session != null && !present) {
			end(connect.clientId(), now);
		}
		if (!present) {
			session = new ModelSession();
			this.sessions.put(connect.clientId(), session);
		}
		session.connected = true;
		session.end = Message.NEVER;
		session.willTime = Message.NEVER;
		session.expirySeconds = connect.expirySeconds();
		session.receiveMaximum = connect.receiveMaximum();
		session.will = connect.will();
		return present;
	}

	private void disconnect(Disconnect disconnect, long now) {
		ModelSession session = this.sessions.get(disconnect.clientId());
		if (!disconnect.keepsWill()) {
			session.will = null;
		}
		long end = end(disconnect.expirySeconds(), now);
		session.disconnect(disconnect.expirySeconds(), end,
				(session.will == null) ? Message.NEVER : Math.min(end, now + session.will.delaySeconds() * SECOND));
		if (session.willTime <= now) {
			publishWill(session, now);
		}
		if (end <= now) {
			end(disconnect.clientId(), now);
		}
	}

	private void end(String clientId, long now) {
		ModelSession session = this.sessions.get(clientId);
		publishWill(session, now);
		this.sessions.remove(clientId);
	}

	private void publishWill(ModelSession session, long now) {
		Will will = session.will;
		session.will = null;
		session.willTime = Message.NEVER;
		if (will != null) {
			Message message = will.message();
			if (message.expiry() != Message.NEVER) {
				message = new Message(message.topic(), message.properties(), message.payload(), message.qos(),
						message.retain(), now + message.expiry(), message.publisher());
			}
			this.wills.add(message);
			publish(message, null);
		}
	}

	private void expire(long now) {
		while (true) {
			// Sessions before retained messages, each in the order of their names.
			String first = null;
			long time = now + 1;
			for (Map.Entry<String, ModelSession> entry : this.sessions.entrySet()) {
				long next = Math.min(entry.getValue().end, entry.getValue().willTime);
				if (next < time) {
					first = entry.getKey();
					time = next;
				}
			}
			String topic = null;
			for (Message message : this.retained.values()) {
				if (message.expiry() < time) {
					topic = message.topic();
					time = message.expiry();
				}
			}
			if (topic != null) {
				this.retained.remove(topic);
			}
			else if (first != null) {
				ModelSession session = this.sessions.get(first);
				if (session.willTime <= now) {
					publishWill(session, now);
				}
				if (session.end <= now) {
					end(first, now);
				}
			}
			else {
				return;
			}
		}
	}

	private void subscribe(String clientId, Subscription subscription, long now) {
		ModelSession session = this.sessions.get(clientId);
		boolean isNew = session.subscriptions.put(subscription.filter(), subscription) == null;
		int handling = subscription.options() >> 4 & 3;
		if (subscription.filter().startsWith("$share/") || handling == 2 || handling == 1 && !isNew) {
			return;
		}
		// In any order: the test compares it as a set.
		this.retained.values()
			.stream()
			.filter((message) -> TopicFilter.matches(subscription.filter(), message.topic()))
			.filter((message) -> message.expiry() > now && Math.min(message.qos(), subscription.qos()) > 0)
			.forEach((message) -> session.add(message, Math.min(message.qos(), subscription.qos()), true,
					identifiers(subscription)));
	}

	private static List<Integer> identifiers(Subscription subscription) {
		return (subscription.identifier() != 0) ? List.of(subscription.identifier()) : List.of();
	}

	private void publish(Message message, @Nullable Map<String, String> members) {
		if (message.retain() && message.payload().length == 0) {
			this.retained.remove(message.topic());
		}
		else if (message.retain()) {
			this.retained.put(message.topic(), message);
		}
		this.sessions.forEach((clientId, session) -> publish(message, clientId, session));
		TreeMap<String, List<String>> groups = new TreeMap<>();
		this.sessions.forEach((clientId, session) -> session.subscriptions.keySet()
			.stream()
			.filter((filter) -> filter.startsWith("$share/"))
			.filter((filter) -> TopicFilter.matches(filter.split("/", 3)[2], message.topic()))
			.forEach((filter) -> groups.computeIfAbsent(filter, (each) -> new ArrayList<>()).add(clientId)));
		groups.forEach((filter, clientIds) -> {
			clientIds.removeIf((clientId) -> this.sessions.get(clientId).expirySeconds == 0);
			if (!clientIds.isEmpty() && (members == null || members.containsKey(filter))) {
				String chosen = (members != null) ? members.get(filter) : "";
				String clientId = clientIds.contains(chosen) ? chosen : clientIds.get(0);
				Subscription subscription = this.sessions.get(clientId).subscriptions.get(filter);
				int qos = Math.min(message.qos(), subscription.qos());
				if (qos > 0) {
					this.sessions.get(clientId)
						.add(message, qos, message.retain() && (subscription.options() & 8) != 0,
								identifiers(subscription));
				}
			}
		});
	}

	private static void publish(Message message, String clientId, ModelSession session) {
		List<Subscription> matches = session.subscriptions.values()
			.stream()
			.filter((each) -> !each.filter().startsWith("$share/")
					&& TopicFilter.matches(each.filter(), message.topic()))
			.filter((each) -> (each.options() & 4) == 0 || !clientId.equals(message.publisher()))
			.toList();
		int qos = matches.stream().mapToInt((each) -> Math.min(message.qos(), each.qos())).max().orElse(0);
		if (qos > 0 && session.expirySeconds > 0) {
			session.add(message, qos,
					message.retain() && matches.stream().anyMatch((each) -> (each.options() & 8) != 0),
					matches.stream().flatMap((each) -> identifiers(each).stream()).toList());
		}
	}

	private static void acknowledge(ModelSession session, Acknowledge acknowledge) {
		for (long number : acknowledge.numbers()) {
			if (acknowledge.received()) {
				session.queue.replaceAll((each) -> (each.number() == number) ? each.receivedToo() : each);
			}
			else {
				session.queue.removeIf((each) -> each.number() == number);
			}
		}
	}

}
