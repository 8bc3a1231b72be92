package io.statestore.broker.principal;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.broker.security.ClientPrincipal;
import org.jspecify.annotations.Nullable;

/** The connected clients' principals and their use of the limits. Thread-safe. */
public final class Principals {

	/** Minimum of {@link #sweptSize}. */
	private static final int MIN_SWEPT = 8;

	private final PrincipalLimits limits;

	private final Map<ClientPrincipal, PrincipalUse> uses = new HashMap<>();

	/** Number of principals at which idle principals are removed. */
	private int sweptSize = MIN_SWEPT;

	private final LongAdder refusedConnections;

	private final LongAdder delayedRequests;

	/** Use by all anonymous clients, whose SCANs count as if from one principal. */
	private final PrincipalUse anonymous;

	/**
	 * The principals' use in the current leadership term, {@code null} if there are no
	 * terms.
	 */
	private volatile @Nullable Principals term;

	/**
	 * Creates an empty object.
	 * @param limits the limits for each principal
	 */
	public Principals(PrincipalLimits limits) {
		this(limits, new LongAdder(), new LongAdder());
	}

	private Principals(PrincipalLimits limits, LongAdder refusedConnections, LongAdder delayedRequests) {
		this.limits = limits;
		this.refusedConnections = refusedConnections;
		this.delayedRequests = delayedRequests;
		this.anonymous = new PrincipalUse(Permits.UNLIMITED, Permits.UNLIMITED, PrincipalLimits.MAX_SCANS,
				delayedRequests);
	}

	/**
	 * Begins a leadership term, in which nothing is in use yet. Because a deposed leader
	 * does not answer all requests, requests from the previous term must no longer count.
	 * The statistics of this object include its terms' statistics.
	 * @return an object with the same limits, for connections in the new term
	 */
	public Principals newTerm() {
		Principals next = new Principals(this.limits, this.refusedConnections, this.delayedRequests);
		this.term = next;
		return next;
	}

	/**
	 * Admits a connection whose client has been authenticated.
	 * @param principal the client's principal
	 * @param clientId the MQTT client id
	 * @return the connection's share, which must be closed with the connection, or
	 * {@code null} if the principal has too many connections
	 */
	public @Nullable PrincipalShare admit(ClientPrincipal principal, String clientId) {
		return principal.isAnonymous() ? new PrincipalShare(this.anonymous, clientId) : admitKnown(principal, clientId);
	}

	private synchronized @Nullable PrincipalShare admitKnown(ClientPrincipal principal, String clientId) {
		PrincipalUse use = this.uses.get(principal);
		if (use == null) {
			removeIdle();
			use = new PrincipalUse(this.limits.maxConnections(), this.limits.maxRequests(), PrincipalLimits.MAX_SCANS,
					this.delayedRequests);
			this.uses.put(principal, use);
		}
		if (use.tryConnect(clientId)) {
			return new PrincipalShare(use, clientId);
		}
		this.refusedConnections.increment();
		return null;
	}

	/** Removes idle principals each time the number of principals has doubled. */
	private void removeIdle() {
		if (this.uses.size() >= this.sweptSize) {
			this.uses.values().removeIf(PrincipalUse::isIdle);
			this.sweptSize = Math.max(MIN_SWEPT, 2 * this.uses.size());
		}
	}

	/** Returns the limits of each principal. */
	public PrincipalLimits limits() {
		return this.limits;
	}

	/**
	 * Returns the principals' use and the number of refusals.
	 * @param maxKeys maximum number of keys per principal
	 * @param refusedKeys number of requests refused because of this maximum
	 * @return a snapshot
	 */
	public PrincipalStatistics statistics(long maxKeys, long refusedKeys) {
		return new PrincipalStatistics(connected(), maxKeys, this.limits.maxConnections(), this.limits.maxRequests(),
				refusedKeys, this.refusedConnections.sum(), this.delayedRequests.sum());
	}

	private int connected() {
		Set<ClientPrincipal> connected = new HashSet<>();
		addConnected(connected);
		Principals term = this.term;
		if (term != null) {
			term.addConnected(connected);
		}
		return connected.size();
	}

	private synchronized void addConnected(Set<ClientPrincipal> connected) {
		this.uses.forEach((principal, use) -> {
			if (use.connections() > 0) {
				connected.add(principal);
			}
		});
	}

	/** Returns the number of principals in memory. */
	synchronized int size() {
		return this.uses.size();
	}

}
