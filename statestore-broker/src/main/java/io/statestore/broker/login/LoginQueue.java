package io.statestore.broker.login;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;

import org.jspecify.annotations.Nullable;

/**
 * Logins that wait for verification. Takes them from each key in turn, so that a flood
 * from one address with one name does not delay others. Thread-safe.
 */
final class LoginQueue {

	static final int MAX_LOGINS = 4_096;

	/** Maximum number of logins of one address, so that it cannot fill the queue. */
	static final int MAX_OF_ADDRESS = 1_024;

	/** Maximum number of logins of one key. */
	static final int MAX_OF_KEY = 256;

	/** Waiting logins by key. The first key is the next one to be taken from. */
	private final Map<LoginKey, Queue<Runnable>> logins = new LinkedHashMap<>();

	private final Map<String, Integer> sizes = new HashMap<>();

	private int size;

	/**
	 * Adds a login.
	 * @param key its key
	 * @param verification verifies it
	 * @return whether there was space for it
	 */
	synchronized boolean offer(LoginKey key, Runnable verification) {
		Queue<Runnable> ofKey = this.logins.get(key);
		if (this.size == MAX_LOGINS || this.sizes.getOrDefault(key.address(), 0) == MAX_OF_ADDRESS
				|| (ofKey != null && ofKey.size() == MAX_OF_KEY)) {
			return false;
		}
		if (ofKey == null) {
			ofKey = new ArrayDeque<>(1);
			this.logins.put(key, ofKey);
		}
		ofKey.add(verification);
		this.size++;
		this.sizes.merge(key.address(), 1, Integer::sum);
		return true;
	}

	/**
	 * Removes the next login.
	 * @return its verification, or {@code null} if none is waiting
	 */
	synchronized @Nullable Runnable poll() {
		Iterator<Map.Entry<LoginKey, Queue<Runnable>>> keys = this.logins.entrySet().iterator();
		if (!keys.hasNext()) {
			return null;
		}
		Map.Entry<LoginKey, Queue<Runnable>> first = keys.next();
		LoginKey key = first.getKey();
		Queue<Runnable> ofKey = first.getValue();
		keys.remove();
		Runnable verification = ofKey.remove();
		if (!ofKey.isEmpty()) {
			this.logins.put(key, ofKey);
		}
		this.size--;
		this.sizes.computeIfPresent(key.address(), (address, count) -> (count > 1) ? count - 1 : null);
		return verification;
	}

	synchronized int size() {
		return this.size;
	}

}
