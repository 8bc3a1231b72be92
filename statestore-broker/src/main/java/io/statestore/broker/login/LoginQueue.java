package io.statestore.broker.login;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Logins that wait for verification. Takes them from each site in turn, and from each key
 * of a site in turn, so that a flood from one site, or with one name, does not delay
 * others. Thread-safe.
 */
final class LoginQueue {

	static final int MAX_LOGINS = 4_096;

	/** Maximum number of waiting logins of one site, so that it cannot fill the queue. */
	static final int MAX_OF_SITE = 1_024;

	/** Maximum number of logins of one key that have not been answered. */
	static final int MAX_OF_KEY = 64;

	/** Waiting logins by site. The first site is the next one to be taken from. */
	private final Map<String, Site> sites = new LinkedHashMap<>();

	/** Number of logins that have not been answered, by key. */
	private final Map<LoginKey, Integer> unanswered = new HashMap<>();

	private int size;

	/**
	 * Adds a login. A full queue makes room for it if another site has more logins.
	 * @param login the login
	 * @return the login for which there is no longer space: another one, the added one,
	 * or {@code null}
	 */
	synchronized @Nullable Login offer(Login login) {
		LoginKey key = login.key();
		Site site = this.sites.get(key.site());
		int ofSite = (site != null) ? site.size : 0;
		if (ofSite == MAX_OF_SITE || this.unanswered.getOrDefault(key, 0) == MAX_OF_KEY) {
			return login;
		}
		Login dropped = null;
		if (this.size == MAX_LOGINS) {
			Site largest = largest(this.sites.values());
			if (largest.size <= ofSite + 1) {
				return login;
			}
			dropped = largest.removeLatest();
			this.size--;
			answered(dropped.key());
		}
		if (site == null) {
			site = new Site();
			this.sites.put(key.site(), site);
		}
		site.add(login);
		this.size++;
		this.unanswered.merge(key, 1, Integer::sum);
		return dropped;
	}

	private static Site largest(Collection<Site> sites) {
		Site largest = sites.iterator().next();
		for (Site site : sites) {
			largest = (site.size > largest.size) ? site : largest;
		}
		return largest;
	}

	/**
	 * Removes the next login.
	 * @return the login, or {@code null} if none is waiting
	 */
	synchronized @Nullable Login poll() {
		Iterator<Map.Entry<String, Site>> entries = this.sites.entrySet().iterator();
		if (!entries.hasNext()) {
			return null;
		}
		Map.Entry<String, Site> first = entries.next();
		String name = first.getKey();
		Site site = first.getValue();
		entries.remove();
		Login login = site.remove();
		if (site.size > 0) {
			this.sites.put(name, site);
		}
		this.size--;
		return login;
	}

	/**
	 * Handles the answer to a login that was taken from this queue.
	 * @param key its key
	 */
	synchronized void answered(LoginKey key) {
		this.unanswered.computeIfPresent(key, (same, count) -> (count > 1) ? count - 1 : null);
	}

	synchronized int size() {
		return this.size;
	}

	/**
	 * A login that waits.
	 *
	 * @param key its key
	 * @param verification verifies it
	 * @param refusal answers it if there is no space for it
	 */
	record Login(LoginKey key, Runnable verification, Runnable refusal) {
	}

	/** Waiting logins of one site. */
	private static final class Site {

		/** The first key is the next one to be taken from. */
		private final Map<LoginKey, Deque<Login>> logins = new LinkedHashMap<>();

		private int size;

		void add(Login login) {
			this.logins.computeIfAbsent(login.key(), (key) -> new ArrayDeque<>(1)).add(login);
			this.size++;
		}

		Login remove() {
			Deque<Login> first = this.logins.values().iterator().next();
			Login login = first.removeFirst();
			this.logins.remove(login.key());
			if (!first.isEmpty()) {
				this.logins.put(login.key(), first);
			}
			this.size--;
			return login;
		}

		/** Removes the latest login of the key with the most logins. */
		Login removeLatest() {
			Deque<Login> most = this.logins.values().iterator().next();
			for (Deque<Login> ofKey : this.logins.values()) {
				most = (ofKey.size() > most.size()) ? ofKey : most;
			}
			Login login = most.removeLast();
			if (most.isEmpty()) {
				this.logins.remove(login.key());
			}
			this.size--;
			return login;
		}

	}

}
