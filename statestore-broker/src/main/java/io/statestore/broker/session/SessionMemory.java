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
 * Estimated heap that users hold in sessions, queued messages, and retained messages.
 * Part of the state machine; other threads may read the sizes.
 * <p>
 * Internal: not part of the API.
 */
public final class SessionMemory {

	/**
	 * Heap of a session without its client id, in bytes. Measured with a 15-byte client
	 * id: 583.
	 */
	static final int SESSION = 640;

	/**
	 * Heap of a subscription without its filter, in bytes. Measured: 255 if others share
	 * the filter.
	 */
	static final int SUBSCRIPTION = 384;

	/** Heap of a QoS 2 message's packet identifier until its PUBREL, in bytes. */
	static final int PACKET_ID = 64;

	/**
	 * Heap of a retained message without the message and its topic, in bytes. Measured
	 * including both, for 100 bytes: 361 with a one-level topic, 777 with four levels.
	 */
	static final int RETAINED = 64;

	/** Heap of a topic level that no other topic or filter shares, in bytes. */
	private static final int LEVEL = 112;

	/** A single user cannot hold the last quarter of the memory. */
	private static final int REST_DIVISOR = 4;

	private final Map<String, User> users = new ConcurrentHashMap<>();

	private long maxBytes = Long.MAX_VALUE;

	private long maxBytesPerSession = Long.MAX_VALUE;

	private volatile long used;

	/**
	 * Returns the estimated heap of a subscription.
	 * @param filter the topic filter
	 * @return the size in bytes
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

	/** Returns the heap that the levels of a topic or filter take in a tree, in bytes. */
	static long ofLevels(String path) {
		long levels = 1 + path.chars().filter((each) -> each == '/').count();
		return LEVEL * levels + 2L * path.length();
	}

	/** Returns the user with a name. A user who holds nothing is not stored. */
	User user(String principal) {
		User user = this.users.get(principal);
		return (user != null) ? user : new User(principal);
	}

	/**
	 * Changes the amount of memory that a user holds, even if it then exceeds the limits.
	 * @param bytes number of bytes to add, negative to release
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

	/**
	 * Changes the amount of memory that a session and its user hold, even if the limits
	 * are then exceeded.
	 */
	void hold(Session session, long bytes) {
		session.hold(bytes);
		hold(session.user(), bytes);
	}

	/**
	 * Starts accounting for a session.
	 * @param baseBytes heap of its client id and will
	 */
	void add(Session session, User user, long baseBytes) {
		session.setUser(user, baseBytes);
		hold(user, session.bytes());
		updateBacklog(session);
	}

	/** Stops accounting for a session. */
	void remove(Session session) {
		session.user().backlogged().remove(session.clientId());
		hold(session.user(), -session.bytes());
	}

	/** Accounts for a change to a session's queue. */
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

	/**
	 * Changes the amount of memory that a user holds in retained messages, even if the
	 * limits are then exceeded.
	 */
	void holdRetained(User user, long bytes) {
		user.retainedBytes += bytes;
		hold(user, bytes);
	}

	/**
	 * Returns the user who must release memory before a user can hold more.
	 * @param user the user who wants to hold more
	 * @param bytes number of bytes to add
	 * @return the user who holds the most; the given user if it would then hold the most
	 * itself or exceed its own limit; {@code null} if there is enough memory
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

	/** Returns the users who hold anything, in a deterministic order. */
	List<User> sorted() {
		return this.users.values().stream().sorted(Comparator.comparing(User::principal)).toList();
	}

	/**
	 * Returns the users who hold anything. Thread-safe.
	 * @return a view by principal name, which is empty for anonymous clients
	 */
	public Map<String, User> users() {
		return this.users;
	}

	/**
	 * Returns how much all users hold. Thread-safe.
	 * @return the size in bytes
	 */
	public long used() {
		return this.used;
	}

	/**
	 * Describes the user who holds the most, for a log message. Thread-safe.
	 * @return the user's name and size
	 */
	public String describeLargest() {
		User largest = largest();
		return (largest != null) ? largest.toString() : "no user";
	}

	/**
	 * Losses of users because memory was exhausted.
	 *
	 * @param sessions number of sessions that were ended
	 * @param retained number of retained messages that were removed
	 * @param messages number of messages that were dropped from session queues
	 * @param latest the user with the latest loss
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

		/**
		 * Client ids of sessions without a connection, starting with the session
		 * disconnected for the longest time.
		 */
		private final Set<String> detached = new LinkedHashSet<>(0);

		/**
		 * Client ids of sessions with queued messages that no connection has received.
		 */
		private final TreeSet<String> backlogged = new TreeSet<>();

		/** Retained messages by topic, from oldest to newest. */
		private final Map<String, Message> retained = new LinkedHashMap<>(0);

		User(String principal) {
			this.principal = principal;
		}

		String principal() {
			return this.principal;
		}

		/**
		 * Returns how much the user holds.
		 * @return the size in bytes
		 */
		public long bytes() {
			return this.bytes;
		}

		/**
		 * Returns how much the user holds in retained messages.
		 * @return the size in bytes
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
