package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import io.statestore.client.mqtt.BrokerAddress;
import org.jspecify.annotations.Nullable;

/**
 * Order in which a connection tries its hosts. A round tries each host at most once,
 * unless another host names it as the leader, and the caller waits between rounds.
 * <p>
 * The order is random at first, so that clients spread over the hosts. The host of the
 * latest connection comes first, a host that has lost a connection or does not answer
 * comes last. Not thread-safe.
 */
final class HostRotation {

	/**
	 * Timeout of the first attempt at one of several hosts. It doubles each time the host
	 * does not answer, so that overloaded hosts have time.
	 */
	static final Duration FIRST_TIMEOUT = Duration.ofSeconds(2);

	/**
	 * Maximum number of moves in a round. The leader may change during the first one.
	 */
	static final int MAX_MOVES = 2;

	private final List<BrokerAddress> order;

	/** Hosts that have failed in this round. */
	private final Set<BrokerAddress> failed = new HashSet<>();

	/** Numbers of consecutive attempts without an answer. */
	private final Map<BrokerAddress, Integer> unanswered = new HashMap<>();

	private BrokerAddress current;

	/** Number of moves to leaders in this round. */
	private int moves;

	/** Host that another one has named as the leader, {@code null} after the attempt. */
	private @Nullable BrokerAddress leader;

	/**
	 * @param hosts the hosts, at least one
	 * @param random source of the first order
	 */
	HostRotation(List<BrokerAddress> hosts, Random random) {
		this.order = new ArrayList<>(hosts);
		Collections.shuffle(this.order, random);
		this.current = this.order.get(0);
	}

	/** Returns the host of the next attempt. */
	BrokerAddress next() {
		for (BrokerAddress host : this.order) {
			if (!this.failed.contains(host)) {
				this.current = host;
				break;
			}
		}
		return this.current;
	}

	/** Returns the host of the latest attempt. */
	BrokerAddress current() {
		return this.current;
	}

	/**
	 * Returns the timeout of an attempt at the current host. That of a leader does not
	 * grow, because the host that named it is available.
	 * @param connectTimeout the maximum, and the timeout of a host without others
	 */
	Duration timeout(Duration connectTimeout) {
		int unanswered = this.current.equals(this.leader) ? 0 : this.unanswered.getOrDefault(this.current, 0);
		Duration timeout = FIRST_TIMEOUT.multipliedBy(1L << Math.min(16, unanswered));
		return (this.order.size() == 1 || timeout.compareTo(connectTimeout) > 0) ? connectTimeout : timeout;
	}

	/** Handles a connection to the current host, which becomes the first of the order. */
	void connected() {
		this.unanswered.remove(this.current);
		moveToFront(this.current);
		this.leader = null;
	}

	/**
	 * Handles a leader that the current host names when it accepts a connection. If it is
	 * another one of the hosts, it is the next host, and the current one follows it. The
	 * caller then ends the connection. A host that failed before may be named, because a
	 * new leader does not serve clients immediately. After the failure of a named host,
	 * this round has no further moves.
	 * @param name {@code host} or {@code host:port}, or several with spaces between them
	 * @return whether to end the connection and to try the leader immediately
	 */
	boolean moveTo(String name) {
		BrokerAddress named = find(name);
		if (named == null || named.equals(this.current) || this.moves == MAX_MOVES) {
			return false;
		}
		this.moves++;
		this.failed.remove(named);
		this.leader = named;
		this.unanswered.remove(this.current);
		moveToFront(this.current);
		moveToFront(named);
		return true;
	}

	/** Begins another round after the caller has ended the connection. */
	void ended() {
		beginRound();
	}

	private void beginRound() {
		this.failed.clear();
		this.moves = 0;
	}

	/**
	 * Handles the loss of the connection to the current host.
	 * @param stable whether the connection lasted, so that another round begins
	 * @return whether the round has another host, to be tried immediately
	 */
	boolean lost(boolean stable) {
		if (stable) {
			beginRound();
		}
		moveToEnd();
		return hasNext();
	}

	/**
	 * Handles a failed attempt at the current host.
	 * @param answered whether the host answered
	 * @return whether the round has another host, to be tried immediately
	 */
	boolean failed(boolean answered) {
		if (this.current.equals(this.leader)) {
			this.moves = MAX_MOVES;
		}
		this.leader = null;
		if (answered) {
			this.unanswered.remove(this.current);
		}
		else {
			this.unanswered.merge(this.current, 1, Integer::sum);
			moveToEnd();
		}
		return hasNext();
	}

	private void moveToEnd() {
		this.order.remove(this.current);
		this.order.add(this.current);
	}

	private void moveToFront(BrokerAddress host) {
		this.order.remove(host);
		this.order.add(0, host);
	}

	private boolean hasNext() {
		this.failed.add(this.current);
		if (this.failed.size() < this.order.size()) {
			return true;
		}
		beginRound();
		return false;
	}

	/**
	 * Makes the first host of the order the one that a broker refers to. References to
	 * other hosts have no effect, because a broker must not direct a client and its
	 * credentials to any server. A host that has failed in this round is not tried again
	 * before the next one.
	 * @param reference a Server Reference: names, separated by spaces (MQTT 5 section
	 * 4.11)
	 * @return whether it names one of the hosts
	 */
	boolean prefer(String reference) {
		BrokerAddress host = find(reference);
		if (host != null) {
			moveToFront(host);
		}
		return host != null;
	}

	/**
	 * Returns whether a name refers to a host. The case of letters is ignored.
	 * @param name {@code host:port}, or {@code host} for any port
	 */
	private static boolean isNamed(BrokerAddress host, String name) {
		String address = host.toString();
		return name.equalsIgnoreCase(address) || name.equalsIgnoreCase(address.substring(0, address.lastIndexOf(':')));
	}

	/** Returns the first host that one of several names refers to. */
	private @Nullable BrokerAddress find(String names) {
		for (String name : names.split(" ")) {
			for (BrokerAddress host : this.order) {
				if (isNamed(host, name)) {
					return host;
				}
			}
		}
		return null;
	}

}
