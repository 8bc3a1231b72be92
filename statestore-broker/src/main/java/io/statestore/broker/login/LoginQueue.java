package io.statestore.broker.login;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * Waiting logins in the order in which they will be verified. A login comes earlier the
 * fewer logins with the same address and user name were waiting when it arrived, then the
 * fewer with the same address. If there is no space, the last login is dropped.
 * Thread-safe.
 */
final class LoginQueue {

	static final int MAX_LOGINS = 4_096;

	/**
	 * Maximum number of waiting logins with the same key. So many can be verified in
	 * time. A client that is refused during a flood of logins with its name can therefore
	 * succeed later.
	 */
	static final int MAX_OF_KEY = 256;

	private final long maxBytes;

	private final NavigableMap<Turn, PendingLogin> waiting = new TreeMap<>();

	/** Number of waiting logins, by key and by address. */
	private final Map<Object, Integer> counts = new HashMap<>();

	/** Logins that are waiting or being verified. */
	private final Set<PendingLogin> unverified = new HashSet<>();

	/** Memory of the unverified logins, in bytes. */
	private long bytes;

	/** Number of logins that have arrived so far. */
	private long arrived;

	/**
	 * Creates a queue.
	 * @param maxBytes maximum memory of logins that are waiting or being verified, in
	 * bytes
	 */
	LoginQueue(long maxBytes) {
		this.maxBytes = maxBytes;
	}

	/**
	 * Adds a login. If this exceeds the space, drops logins.
	 * @param login the login to add
	 * @return the dropped logins, which may include the added one
	 */
	synchronized List<PendingLogin> offer(PendingLogin login) {
		LoginKey key = login.key();
		if (count(key) == MAX_OF_KEY) {
			return List.of(login);
		}
		login.setTurn(new Turn(count(key), count(key.address()), this.arrived++));
		this.waiting.put(login.turn(), login);
		this.unverified.add(login);
		this.bytes += login.bytes();
		add(login, 1);
		List<PendingLogin> dropped = new ArrayList<>(0);
		while (this.waiting.size() > MAX_LOGINS || (this.bytes > this.maxBytes && !this.waiting.isEmpty())) {
			PendingLogin last = this.waiting.lastEntry().getValue();
			dropped.add(last);
			remove(last);
		}
		return dropped;
	}

	private int count(Object keyOrAddress) {
		return this.counts.getOrDefault(keyOrAddress, 0);
	}

	private void add(PendingLogin login, int number) {
		for (Object counted : List.of(login.key(), login.key().address())) {
			this.counts.merge(counted, number, (before, added) -> (before + added > 0) ? before + added : null);
		}
	}

	/**
	 * Takes the next login, whose memory counts until it is {@linkplain #remove removed}.
	 * @return the login, or {@code null} if none is waiting
	 */
	synchronized @Nullable PendingLogin poll() {
		Map.Entry<Turn, PendingLogin> first = this.waiting.pollFirstEntry();
		if (first == null) {
			return null;
		}
		add(first.getValue(), -1);
		return first.getValue();
	}

	/**
	 * Removes a login that is no longer waiting or has been verified. Later calls have no
	 * effect.
	 * @param login the login to remove
	 */
	synchronized void remove(PendingLogin login) {
		if (this.unverified.remove(login)) {
			this.bytes -= login.bytes();
			if (this.waiting.remove(login.turn()) != null) {
				add(login, -1);
			}
		}
	}

	synchronized int size() {
		return this.waiting.size();
	}

	/**
	 * A login's place in the order of verification.
	 *
	 * @param ofKey number of logins with the same key that were waiting when it arrived
	 * @param ofAddress number of logins from the same address that were waiting when it
	 * arrived
	 * @param number sequence number of its arrival
	 */
	record Turn(int ofKey, int ofAddress, long number) implements Comparable<Turn> {

		private static final Comparator<Turn> ORDER = Comparator.comparingInt(Turn::ofKey)
			.thenComparingInt(Turn::ofAddress)
			.thenComparingLong(Turn::number);

		@Override
		public int compareTo(Turn other) {
			return ORDER.compare(this, other);
		}

	}

}
