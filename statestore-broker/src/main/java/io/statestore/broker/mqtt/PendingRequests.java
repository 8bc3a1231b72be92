package io.statestore.broker.mqtt;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * SUBSCRIBE and UNSUBSCRIBE packets of one connection that Artemis has not answered yet,
 * with filters as Artemis gets them. Used on the event loop of the connection only.
 */
final class PendingRequests {

	private final Map<Integer, PendingSubscribe> subscribing = new HashMap<>();

	/** Number of requests in {@link #subscribing} for each filter. */
	private final Map<String, Integer> requested = new HashMap<>();

	private final Map<Integer, List<String>> unsubscribing = new HashMap<>();

	/**
	 * Adds a SUBSCRIBE.
	 * @param packetId of the request
	 * @param request the request
	 * @return whether it replaces another request with the same packet id
	 */
	boolean subscribing(int packetId, PendingSubscribe request) {
		request.filters().forEach((filter) -> this.requested.merge(filter, 1, Integer::sum));
		PendingSubscribe replaced = this.subscribing.put(packetId, request);
		if (replaced != null) {
			forget(replaced);
		}
		return replaced != null;
	}

	/** Removes a SUBSCRIBE that is answered, and returns it if it is known. */
	@Nullable PendingSubscribe subscribed(int packetId) {
		PendingSubscribe request = this.subscribing.remove(packetId);
		if (request != null) {
			forget(request);
		}
		return request;
	}

	private void forget(PendingSubscribe request) {
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

	void unsubscribing(int packetId, List<String> filters) {
		this.unsubscribing.put(packetId, filters);
	}

	/**
	 * Removes an UNSUBSCRIBE that is answered, and returns its filters if it is known.
	 */
	@Nullable List<String> unsubscribed(int packetId) {
		return this.unsubscribing.remove(packetId);
	}

	boolean isUnsubscribing(String filter) {
		return this.unsubscribing.values().stream().flatMap(Collection::stream).anyMatch(filter::equals);
	}

}
