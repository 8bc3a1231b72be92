package io.statestore.broker.session;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * Heap that users hold by their sessions, queued messages, and retained messages, as an
 * estimate. Part of the state machine; other threads may read the sizes.
 * <p>
 * Internal: not part of the API.
 */
public final class SessionMemory {

	/** Heap of a session without its client id. Measured, with one of 15 bytes: 583. */
	static final int SESSION = 640;

	/** Heap of a subscription without its filter. Measured: 255 if others share it. */
	static final int SUBSCRIPTION = 384;

	/** Heap of the packet identifier of a message with QoS 2 before its PUBREL. */
	static final int PACKET_ID = 64;

	/**
	 * Heap of a retained message without the message and its topic. Measured, with all of
	 * these, for 100 bytes on a topic of one level: 361. For four levels: 777.
	 */
	static final int RETAINED = 64;

	/** Heap of a level that no other topic or filter shares. */
	private static final int LEVEL = 112;

	/** A user cannot hold the last quarter of the memory. */
	private static final int REST_DIVISOR = 4;

	private final Map<String, User> users = new ConcurrentHashMap<>();

	private long maxBytes = Long.MAX_VALUE;

	private long maxBytesPerSession = Long.MAX_VALUE;

	private volatile long used;

	/**
	 * Returns the heap of a subscription.
	 * @param filter the topic filter
	 * @return estimated bytes
	 */
	public static long ofSubscription(String filter) {
		return SUBSCRIPTION + ofLevels(filter);
	}

	void limit(long maxBytes, long maxBytesPerSession) {
		this.maxBytes = maxBytes;
		this.maxBytesPerSession = maxBytesPerSession;
	}

	long maxBytesPerSession() {
		return this.maxBytesPerSession;
	}

	private long maxBytesPerUser() {
		return this.maxBytes - this.maxBytes / REST_DIVISOR;
	}

	/** Returns the heap of the levels of a topic or filter in a tree. */
	static long ofLevels(String path) {
		long levels = 1 + path.chars().filter((each) -> each == '/').count();
		return LEVEL * levels + 2L * path.length();
	}

	/** Returns a user, which may hold nothing. */
	User user(String principal) {
		User user = this.users.get(principal);
		return (user != null) ? user : new User(principal);
	}

	/**
	 * Changes what a user holds, even above the limits.
	 * @param bytes what is added, negative for what is released
	 */
	void hold(User user, long bytes) {
		user.bytes += bytes;
		this.used += bytes;
		if (user.bytes == 0) {
			this.users.remove(user.principal);
		}
		else {
			this.users.putIfAbsent(user.principal, user);
		}
	}

	/** Changes what a session and its user hold, as {@link #hold} does. */
	void hold(Session session, long bytes) {
		session.hold(bytes);
		hold(session.user(), bytes);
	}

	/**
	 * Accounts for a session from now on.
	 * @param baseBytes heap of its client id and will
	 */
	void add(Session session, User user, long baseBytes) {
		session.setUser(user, baseBytes);
		hold(user, session.bytes());
		updateBacklog(session);
	}

	/** Ends the account of a session. */
	void remove(Session session) {
		session.user().backlogged().remove(session.clientId());
		hold(session.user(), -session.bytes());
	}

	/** Accounts for a change of the queue of a session. */
	void queueChanged(Session session, long bytesBefore) {
		hold(session.user(), session.queuedBytes() - bytesBefore);
		updateBacklog(session);
	}

	private static void updateBacklog(Session session) {
		if (session.isBacklogged()) {
			session.user().backlogged().add(session.clientId());
		}
		else {
			session.user().backlogged().remove(session.clientId());
		}
	}

	/** Changes what a user holds by retained messages, as {@link #hold} does. */
	void holdRetained(User user, long bytes) {
		user.retainedBytes += bytes;
		hold(user, bytes);
	}

	/**
	 * Returns the user who has to give way before another one holds more.
	 * @param user the user who is to hold more
	 * @param bytes the size
	 * @return the user who holds the most, the given one if it would do so itself or
	 * exceed its own limit, or {@code null} if there is enough memory
	 */
	@Nullable User victim(User user, long bytes) {
		if (user.bytes + bytes > maxBytesPerUser()) {
			return user;
		}
		if (this.used + bytes <= this.maxBytes) {
			return null;
		}
		User largest = largest();
		return (largest == null || largest.bytes <= user.bytes + bytes) ? user : largest;
	}

	private @Nullable User largest() {
		return this.users.values()
			.stream()
			.max(Comparator.comparingLong(User::bytes).thenComparing(User::principal))
			.orElse(null);
	}

	/** Returns the users who hold anything, in an order that is always the same. */
	List<User> sorted() {
		return this.users.values().stream().sorted(Comparator.comparing(User::principal)).toList();
	}

	/**
	 * Returns what users hold. May be called by any thread.
	 * @return a view by the name of the principal, empty for anonymous clients
	 */
	public Map<String, User> users() {
		return this.users;
	}

	/**
	 * Returns what all users hold. May be called by any thread.
	 * @return the number of bytes
	 */
	public long used() {
		return this.used;
	}

	/**
	 * Describes the user who holds the most, for a log message. May be called by any
	 * thread.
	 * @return the name and the size
	 */
	public String describeLargest() {
		User largest = largest();
		return (largest != null) ? largest.toString() : "no user";
	}

	/**
	 * What users lost because memory was exhausted.
	 *
	 * @param sessions number of sessions that were ended
	 * @param retained number of retained messages that were removed
	 * @param messages number of messages that were dropped from the queues of sessions
	 * @param latest the user of the latest loss
	 */
	public record Losses(long sessions, long retained, long messages, String latest) {

		Losses with(int sessions, int retained, int messages, User user) {
			return new Losses(this.sessions + sessions, this.retained + retained, this.messages + messages,
					user.principal);
		}

	}

	/** A user: all clients that log in with the same name, or all without a login. */
	public static final class User {

		private final String principal;

		private volatile long bytes;

		private volatile long retainedBytes;

		/** Client ids of sessions without a connection, the longest first. */
		private final Set<String> detached = new LinkedHashSet<>(0);

		/** Client ids of sessions whose queue is longer than a connection receives. */
		private final TreeSet<String> backlogged = new TreeSet<>();

		/** Retained messages by topic, the oldest first. */
		private final Map<String, Message> retained = new LinkedHashMap<>(0);

		User(String principal) {
			this.principal = principal;
		}

		String principal() {
			return this.principal;
		}

		/**
		 * Returns what the user holds.
		 * @return the number of bytes
		 */
		public long bytes() {
			return this.bytes;
		}

		/**
		 * Returns the part for retained messages.
		 * @return the number of bytes
		 */
		public long retainedBytes() {
			return this.retainedBytes;
		}

		Set<String> detached() {
			return this.detached;
		}

		TreeSet<String> backlogged() {
			return this.backlogged;
		}

		Map<String, Message> retained() {
			return this.retained;
		}

		@Override
		public String toString() {
			return (this.principal.isEmpty() ? "clients without a login" : "user '" + this.principal + '\'') + ", "
					+ this.bytes + " bytes";
		}

	}

}
