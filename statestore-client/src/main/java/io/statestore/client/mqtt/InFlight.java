package io.statestore.client.mqtt;

import java.util.LinkedHashSet;
import java.util.Set;

import io.statestore.client.mqtt.FlowControl.Outgoing;
import org.jspecify.annotations.Nullable;

/**
 * Publishes in flight, in the order in which they were sent. Counts ordinary ones apart
 * from urgent ones. Not thread-safe.
 */
final class InFlight {

	private final Set<Outgoing> all = new LinkedHashSet<>();

	private int ordinary;

	private long ordinaryBytes;

	void add(Outgoing outgoing) {
		if (this.all.add(outgoing) && !outgoing.isUrgent()) {
			this.ordinary++;
			this.ordinaryBytes += outgoing.size();
		}
	}

	/**
	 * Removes a publish.
	 * @return whether it was in flight
	 */
	boolean remove(Outgoing outgoing) {
		boolean removed = this.all.remove(outgoing);
		if (removed && !outgoing.isUrgent()) {
			this.ordinary--;
			this.ordinaryBytes -= outgoing.size();
		}
		return removed;
	}

	void clear() {
		this.all.clear();
		this.ordinary = 0;
		this.ordinaryBytes = 0;
	}

	boolean isEmpty() {
		return this.all.isEmpty();
	}

	int size() {
		return this.all.size();
	}

	@Nullable Outgoing first() {
		return this.all.isEmpty() ? null : this.all.iterator().next();
	}

	/** Returns the number of ordinary publishes. */
	int ordinary() {
		return this.ordinary;
	}

	/** Returns the size of all ordinary publishes together. */
	long ordinaryBytes() {
		return this.ordinaryBytes;
	}

}
