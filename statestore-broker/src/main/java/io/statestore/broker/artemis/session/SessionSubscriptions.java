package io.statestore.broker.artemis.session;

import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/** Subscriptions of one session, by their filters in Artemis. Not thread-safe. */
final class SessionSubscriptions {

	/** Measured heap of a subscription: 15 to 20 KB. */
	static final long COST = 20 * 1024;

	/**
	 * Estimated heap of each character of filter and client id, which have copies in the
	 * names of queue and address.
	 */
	private static final long BYTES_PER_CHARACTER = 8;

	private final String clientId;

	private final SubscriptionQueues queues;

	/** Names of the queues by filter. */
	private final Map<String, String> queuesByFilter = new HashMap<>();

	/** Filters by their topics, without the names of shared subscriptions. */
	private final Map<String, String> filtersByTopics = new HashMap<>();

	/** Estimated heap of all subscriptions in bytes. */
	private long bytes;

	/**
	 * Creates an empty collection.
	 * @param clientId id of the client in Artemis
	 * @param queues counts the subscriptions of all sessions
	 */
	SessionSubscriptions(String clientId, SubscriptionQueues queues) {
		this.clientId = clientId;
		this.queues = queues;
	}

	/** Returns the estimated heap of a subscription in bytes. */
	long cost(String filter) {
		return COST + BYTES_PER_CHARACTER * (filter.length() + this.clientId.length());
	}

	/** Returns the estimated heap of all subscriptions in bytes. */
	long bytes() {
		return this.bytes;
	}

	/** Returns whether a filter is known. */
	boolean contains(String filter) {
		return this.queuesByFilter.containsKey(filter);
	}

	/**
	 * Adds a subscription.
	 * @param filter topic filter, which is not known yet
	 */
	void add(String filter) {
		this.queuesByFilter.put(filter, this.queues.add(this.clientId, filter));
		this.filtersByTopics.put(QueueNames.topics(filter), filter);
		this.bytes += cost(filter);
	}

	/**
	 * Removes a subscription.
	 * @param filter topic filter
	 * @return its estimated heap in bytes, 0 if it is not known
	 */
	long remove(String filter) {
		String queue = this.queuesByFilter.remove(filter);
		return (queue != null) ? removed(filter, queue) : 0;
	}

	/**
	 * Removes all subscriptions except some.
	 * @param kept filters of the subscriptions to keep
	 * @return the estimated heap of those removed, in bytes
	 */
	long retain(Set<String> kept) {
		long released = 0;
		Iterator<Map.Entry<String, String>> entries = this.queuesByFilter.entrySet().iterator();
		while (entries.hasNext()) {
			Map.Entry<String, String> entry = entries.next();
			if (!kept.contains(entry.getKey())) {
				entries.remove();
				released += removed(entry.getKey(), entry.getValue());
			}
		}
		return released;
	}

	private long removed(String filter, String queue) {
		this.queues.remove(queue);
		this.filtersByTopics.remove(QueueNames.topics(filter), filter);
		long cost = cost(filter);
		this.bytes -= cost;
		return cost;
	}

	/** Returns the names of the queues of the known filters among the given ones. */
	Set<String> queues(Collection<String> filters) {
		return filters.stream().map(this.queuesByFilter::get).filter(Objects::nonNull).collect(Collectors.toSet());
	}

	/**
	 * Returns a known filter that has the same topics, but the name of another shared
	 * subscription or no name.
	 * @param filter a filter, which may be known itself
	 */
	@Nullable String withSameTopics(String filter) {
		String known = this.filtersByTopics.get(QueueNames.topics(filter));
		return filter.equals(known) ? null : known;
	}

}
