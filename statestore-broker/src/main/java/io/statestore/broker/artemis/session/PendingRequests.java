package io.statestore.broker.artemis.session;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * SUBSCRIBE and UNSUBSCRIBE packets of one connection that Artemis has not answered yet,
 * with the filters that Artemis receives. Used on the event loop of the connection only.
 */
final class PendingRequests {

	/** SUBSCRIBE packets, by packet identifier. */
	private final Map<Integer, PendingSubscribe> subscribing = new HashMap<>();

	/** Number of packets in {@link #subscribing} for each filter. */
	private final Map<String, Integer> requested = new HashMap<>();

	/** Filters of UNSUBSCRIBE packets, by packet identifier. */
	private final Map<Integer, List<String>> unsubscribing = new HashMap<>();

	/**
	 * Adds a SUBSCRIBE.
	 * @param packetId packet identifier
	 * @param request the packet
	 * @return whether it replaces another packet with the same identifier
	 */
	boolean subscribing(int packetId, PendingSubscribe request) {
		request.filters().forEach((filter) -> this.requested.merge(filter, 1, Integer::sum));
		PendingSubscribe replaced = this.subscribing.put(packetId, request);
		if (replaced != null) {
			uncount(replaced);
		}
		return replaced != null;
	}

	/**
	 * Removes a SUBSCRIBE that is answered.
	 * @param packetId packet identifier
	 * @return the packet, or {@code null} if it is not known
	 */
	@Nullable PendingSubscribe subscribed(int packetId) {
		PendingSubscribe request = this.subscribing.remove(packetId);
		if (request != null) {
			uncount(request);
		}
		return request;
	}

	private void uncount(PendingSubscribe request) {
		request.filters()
			.forEach((filter) -> this.requested.computeIfPresent(filter,
					(key, requests) -> (requests > 1) ? requests - 1 : null));
	}

	/** Returns the number of SUBSCRIBE packets. */
	int subscribes() {
		return this.subscribing.size();
	}

	/** Returns the filters of all SUBSCRIBE packets. */
	Set<String> requestedFilters() {
		return this.requested.keySet();
	}

	/**
	 * Adds an UNSUBSCRIBE.
	 * @param packetId packet identifier
	 * @param filters filters of the packet
	 */
	void unsubscribing(int packetId, List<String> filters) {
		this.unsubscribing.put(packetId, filters);
	}

	/**
	 * Removes an UNSUBSCRIBE that is answered.
	 * @param packetId packet identifier
	 * @return its filters, or {@code null} if it is not known
	 */
	@Nullable List<String> unsubscribed(int packetId) {
		return this.unsubscribing.remove(packetId);
	}

	/** Returns whether an UNSUBSCRIBE contains a filter. */
	boolean isUnsubscribing(String filter) {
		return this.unsubscribing.values().stream().flatMap(Collection::stream).anyMatch(filter::equals);
	}

}
