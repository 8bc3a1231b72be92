package io.statestore.broker.login;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Logins that wait for verification. Takes them from each site in turn, and from each key
 * of a site in turn, so that a flood from one site, or with one name, does not delay
 * others. Takes the latest login of a key, because the clients of earlier ones may have
 * left. Thread-safe.
 */
final class LoginQueue {

	static final int MAX_LOGINS = 4_096;

	/** Maximum number of waiting logins of one site, so that it cannot fill the queue. */
	static final int MAX_OF_SITE = 1_024;

	/**
	 * Maximum number of waiting logins of one key. During a flood with its name, a client
	 * soon learns that it has to try again.
	 */
	static final int MAX_OF_KEY = 256;

	private final long maxBytes;

	/** Waiting logins by site. The first site is the next one to be taken from. */
	private final Map<String, Site> sites = new LinkedHashMap<>();

	/** Logins that wait or are being verified. */
	private final Set<PendingLogin> unverified = new HashSet<>();

	/** Memory of the unverified logins. */
	private long bytes;

	/** Number of waiting logins. */
	private int size;

	/**
	 * Creates a queue.
	 * @param maxBytes maximum memory of the logins that wait or are being verified
	 */
	LoginQueue(long maxBytes) {
		this.maxBytes = maxBytes;
	}

	/**
	 * Adds a login. If there is no space then, drops logins of the site that holds the
	 * most memory, or of the key with the most logins of the same site.
	 * @param login the login
	 * @return the dropped logins, which may include the added one
	 */
	synchronized List<PendingLogin> offer(PendingLogin login) {
		Site own = this.sites.computeIfAbsent(login.key().site(), (added) -> new Site());
		own.add(login);
		this.unverified.add(login);
		this.bytes += login.bytes();
		this.size++;
		List<PendingLogin> dropped = new ArrayList<>(0);
		while (this.size > MAX_LOGINS || this.bytes > this.maxBytes || own.isOverfull(login.key())) {
			PendingLogin next = (own.isOverfull(login.key()) ? own : largest(own)).oldestOfMost(login.key());
			dropped.add(next);
			remove(next);
		}
		return dropped;
	}

	/** Returns the site that holds the most memory, preferably the given one. */
	private Site largest(Site preferred) {
		Site largest = preferred;
		for (Site site : this.sites.values()) {
			largest = (site.bytes > largest.bytes) ? site : largest;
		}
		return largest;
	}

	/**
	 * Takes the next login. Its memory counts until it is {@linkplain #remove removed}.
	 * @return the login, or {@code null} if none is waiting
	 */
	synchronized @Nullable PendingLogin poll() {
		if (this.sites.isEmpty()) {
			return null;
		}
		Site site = this.sites.values().iterator().next();
		PendingLogin login = site.poll();
		this.sites.remove(login.key().site());
		if (site.size > 0) {
			this.sites.put(login.key().site(), site);
		}
		this.size--;
		return login;
	}

	/**
	 * Removes a login that does not wait any longer, or has been verified. Has no effect
	 * the second time.
	 * @param login the login
	 */
	synchronized void remove(PendingLogin login) {
		if (!this.unverified.remove(login)) {
			return;
		}
		this.bytes -= login.bytes();
		Site site = this.sites.get(login.key().site());
		if (site != null && site.remove(login)) {
			this.size--;
			if (site.size == 0) {
				this.sites.remove(login.key().site());
			}
		}
	}

	synchronized int size() {
		return this.size;
	}

	/** Waiting logins of one site. */
	private static final class Site {

		/**
		 * Logins of each key, earliest first. The first key is the next one to be taken
		 * from.
		 */
		private final Map<LoginKey, Deque<PendingLogin>> logins = new LinkedHashMap<>();

		private int size;

		private long bytes;

		void add(PendingLogin login) {
			this.logins.computeIfAbsent(login.key(), (key) -> new ArrayDeque<>(1)).add(login);
			this.size++;
			this.bytes += login.bytes();
		}

		PendingLogin poll() {
			Deque<PendingLogin> first = this.logins.values().iterator().next();
			PendingLogin login = first.getLast();
			remove(login);
			if (this.logins.remove(login.key()) != null) {
				this.logins.put(login.key(), first);
			}
			return login;
		}

		boolean remove(PendingLogin login) {
			Deque<PendingLogin> ofKey = this.logins.get(login.key());
			if (ofKey == null || !ofKey.remove(login)) {
				return false;
			}
			if (ofKey.isEmpty()) {
				this.logins.remove(login.key());
			}
			this.size--;
			this.bytes -= login.bytes();
			return true;
		}

		/**
		 * Returns the oldest login of the key with the most, preferably of the given one.
		 */
		PendingLogin oldestOfMost(LoginKey preferred) {
			Deque<PendingLogin> most = this.logins.getOrDefault(preferred, new ArrayDeque<>(0));
			for (Deque<PendingLogin> ofKey : this.logins.values()) {
				most = (ofKey.size() > most.size()) ? ofKey : most;
			}
			return most.getFirst();
		}

		boolean isOverfull(LoginKey key) {
			Deque<PendingLogin> ofKey = this.logins.get(key);
			return this.size > MAX_OF_SITE || (ofKey != null && ofKey.size() > MAX_OF_KEY);
		}

	}

}
