package io.statestore.broker.session;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import io.statestore.protocol.TopicFilter;
import io.statestore.broker.session.Applied.Connected;
import io.statestore.broker.session.SessionChange.Acknowledge;
import io.statestore.broker.session.SessionChange.Connect;
import io.statestore.broker.session.SessionChange.Disconnect;
import io.statestore.broker.session.SessionChange.End;
import io.statestore.broker.session.SessionChange.Expire;
import io.statestore.broker.session.SessionChange.Publish;
import io.statestore.broker.session.SessionChange.Release;
import io.statestore.broker.session.SessionChange.Subscribe;
import io.statestore.broker.session.SessionChange.Unsubscribe;
import org.jspecify.annotations.Nullable;

/** Does what {@link Sessions} does in the simplest way, by looking at everything. */
final class ModelSessions {

	static final long SECOND = 1_000_000_000L;

	final TreeMap<String, ModelSession> sessions = new TreeMap<>();

	final TreeMap<String, Message> retained = new TreeMap<>();

	/** Messages delivered to sessions that are not stored when a change is applied. */
	final List<Message> published = new ArrayList<>();

	private long connections;

	@Nullable Connected apply(SessionChange change, long now) {
		if (change instanceof Connect connect) {
			return connect(connect, now);
		}
		if (change instanceof Expire expire) {
			expire(expire, now);
		}
		else if (change instanceof Publish publish) {
			ModelSession publisher = findStored(publish.message().publisher(), publish.connection());
			boolean exactlyOnce = publish.packetId() != 0;
			if (!exactlyOnce || publisher != null && publisher.unreleased.add(publish.packetId())) {
				publish(publish.message(), publish.members(), exactlyOnce || publish.undelivered());
			}
		}
		else if (change instanceof Disconnect disconnect) {
			if (find(disconnect.clientId(), disconnect.connection()) != null) {
				disconnect(disconnect.clientId(), disconnect.expirySeconds(), disconnect.keepsWill(), now);
			}
		}
		else if (change instanceof End end) {
			ModelSession session = this.sessions.get(end.clientId());
			if (session != null) {
				session.will = end.keepsWill() ? session.will : null;
				end(end.clientId(), now);
			}
		}
		else {
			applyToSession(change, now);
		}
		return null;
	}

	private void applyToSession(SessionChange change, long now) {
		if (change instanceof Subscribe subscribe) {
			ModelSession session = findStored(subscribe.clientId(), subscribe.connection());
			Map<String, Subscription> last = new LinkedHashMap<>();
			subscribe.subscriptions().forEach((each) -> last.put(each.filter(), each));
			if (session != null) {
				last.values().forEach((each) -> subscribe(subscribe.clientId(), session, each, now));
			}
		}
		else if (change instanceof Unsubscribe unsubscribe) {
			ModelSession session = findStored(unsubscribe.clientId(), unsubscribe.connection());
			if (session != null) {
				unsubscribe.filters().forEach(session.subscriptions::remove);
			}
		}
		else if (change instanceof Release release) {
			ModelSession session = findStored(release.clientId(), release.connection());
			if (session != null) {
				session.unreleased.remove(release.packetId());
			}
		}
		else if (change instanceof Acknowledge acknowledge) {
			ModelSession session = findStored(acknowledge.clientId(), acknowledge.connection());
			if (session != null) {
				acknowledge(session, acknowledge);
			}
		}
	}

	private ModelSession required(String clientId) {
		return Objects.requireNonNull(this.sessions.get(clientId));
	}

	private @Nullable ModelSession find(String clientId, long connection) {
		ModelSession session = this.sessions.get(clientId);
		return (session != null && session.connected && session.number == connection) ? session : null;
	}

	private @Nullable ModelSession findStored(String clientId, long connection) {
		ModelSession session = find(clientId, connection);
		return (session != null && session.stored) ? session : null;
	}

	void start(long now) {
		long each = now;
		for (ModelSession session : this.sessions.values()) {
			if (!session.connected && !session.interrupted) {
				continue;
			}
			long end = session.connected ? end(session.expirySeconds, each) : session.end;
			long willTime = Message.NEVER;
			if (session.will != null) {
				// The will is published when the session ends, but not within 30 s, and
				// each at a different time.
				willTime = session.connected ? Math.min(end, each + session.will.delaySeconds() * SECOND)
						: session.willTime;
				willTime = Math.max(willTime, each + 30 * SECOND);
				end = Math.max(end, willTime);
			}
			each++;
			if (session.connected) {
				session.disconnect(session.expirySeconds, end, willTime);
				session.interrupted = true;
			}
			session.end = end;
			session.willTime = willTime;
		}
	}

	private static long end(long expirySeconds, long now) {
		return (expirySeconds == Sessions.NO_EXPIRY) ? Message.NEVER : now + expirySeconds * SECOND;
	}

	private Connected connect(Connect connect, long now) {
		String clientId = connect.clientId();
		if (this.sessions.containsKey(clientId) && this.sessions.get(clientId).connected) {
			disconnect(clientId, this.sessions.get(clientId).expirySeconds, connect.keepsWill(), now);
		}
		ModelSession session = this.sessions.get(clientId);
		if (session != null && (session.interrupted || !connect.keepsWill())) {
			session.will = null;
		}
		boolean present = session != null && session.stored && !connect.cleanStart()
				&& List.of("", connect.principal()).contains(session.principal);
		if (session == null || !present) {
			if (session != null) {
				end(clientId, now);
			}
			session = new ModelSession(connect.expirySeconds() > 0);
			this.sessions.put(clientId, session);
		}
		session.connected = true;
		session.interrupted = false;
		session.number = ++this.connections;
		session.principal = connect.principal();
		session.end = Message.NEVER;
		session.willTime = Message.NEVER;
		session.expirySeconds = connect.expirySeconds();
		session.will = connect.will();
		return new Connected(present, session.number, session.stored);
	}

	private void disconnect(String clientId, long expirySeconds, boolean keepsWill, long now) {
		ModelSession session = required(clientId);
		if (!keepsWill) {
			session.will = null;
		}
		long end = end(expirySeconds, now);
		session.disconnect(expirySeconds, end,
				(session.will == null) ? Message.NEVER : Math.min(end, now + session.will.delaySeconds() * SECOND));
		if (session.willTime <= now) {
			publishWill(session, now);
		}
		if (end <= now) {
			end(clientId, now);
		}
	}

	private void end(String clientId, long now) {
		ModelSession session = required(clientId);
		publishWill(session, now);
		this.sessions.remove(clientId);
	}

	private void publishWill(ModelSession session, long now) {
		Will will = session.will;
		session.will = null;
		session.willTime = Message.NEVER;
		if (will != null) {
			Message message = will.message();
			long expiry = (will.expirySeconds() < 0) ? Message.NEVER : now + will.expirySeconds() * SECOND;
			publish(new Message(message.topic(), message.properties(), message.payload(), message.qos(),
					message.retain(), expiry, message.publisher()), null, true);
		}
	}

	private void expire(Expire expire, long now) {
		while (true) {
			// Sessions precede retained messages, each ordered by name.
			String first = null;
			long time = expire.until() + 1;
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
				expire(first, expire, now);
			}
			else {
				return;
			}
		}
	}

	private void expire(String clientId, Expire expire, long now) {
		ModelSession session = required(clientId);
		if (session.willTime <= expire.until()) {
			session.will = expire.denied().contains(clientId) ? null : session.will;
			publishWill(session, now);
		}
		if (session.end <= expire.until()) {
			end(clientId, now);
		}
	}

	private void subscribe(String clientId, ModelSession session, Subscription subscription, long now) {
		boolean isNew = session.subscriptions.put(subscription.filter(), subscription) == null;
		int handling = subscription.options() >> 4 & 3;
		if (subscription.filter().startsWith("$share/") || handling == 2 || handling == 1 && !isNew) {
			return;
		}
		this.retained.values()
			.stream()
			.filter((message) -> TopicFilter.matches(subscription.filter(), message.topic()))
			.filter((message) -> message.expiry() > now && Math.min(message.qos(), subscription.qos()) > 0)
			.filter((message) -> isReceived(clientId, subscription, message))
			.forEach((message) -> session.add(message, Math.min(message.qos(), subscription.qos()), true,
					identifiers(subscription)));
	}

	private static boolean isReceived(String clientId, Subscription subscription, Message message) {
		return (subscription.options() & 4) == 0 || !clientId.equals(message.publisher());
	}

	private static List<Integer> identifiers(Subscription subscription) {
		return (subscription.identifier() != 0) ? List.of(subscription.identifier()) : List.of();
	}

	private void publish(Message message, @Nullable Map<String, String> members, boolean undelivered) {
		if (undelivered || message.retain() || members == null) {
			this.published.add(message);
		}
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
			.filter((filter) -> session.stored && filter.startsWith("$share/"))
			.filter((filter) -> TopicFilter.matches(filter.split("/", 3)[2], message.topic()))
			.forEach((filter) -> groups.computeIfAbsent(filter, (each) -> new ArrayList<>()).add(clientId)));
		groups.forEach((filter, clientIds) -> {
			if (members == null || members.containsKey(filter)) {
				String chosen = (members != null) ? members.get(filter) : "";
				String clientId = (chosen != null && clientIds.contains(chosen)) ? chosen : clientIds.get(0);
				Subscription subscription = Objects.requireNonNull(required(clientId).subscriptions.get(filter));
				int qos = Math.min(message.qos(), subscription.qos());
				if (qos > 0) {
					required(clientId).add(message, qos, message.retain() && (subscription.options() & 8) != 0,
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
			.filter((each) -> isReceived(clientId, each, message))
			.toList();
		int qos = matches.stream().mapToInt((each) -> Math.min(message.qos(), each.qos())).max().orElse(0);
		if (qos > 0 && session.stored) {
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
