package io.statestore.broker.server;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;

import io.statestore.broker.engine.Requester;

/**
 * Shares one object among equal requesters. Every lock refers to its client, so copies
 * could exceed the store's memory. Of the unused requesters, keeps only the latest.
 */
final class SharedRequesters {

	private final Map<Requester, WeakReference<Requester>> requesters = new WeakHashMap<>();

	/**
	 * The latest requester, cached because a busy client sends many requests in a row.
	 */
	private Requester latest = Requester.anonymous("");

	/**
	 * Returns an equal requester that is still in use, or the given requester if there is
	 * none.
	 */
	Requester share(Requester requester) {
		if (!this.latest.equals(requester)) {
			WeakReference<Requester> reference = this.requesters.get(requester);
			Requester shared = (reference != null) ? reference.get() : null;
			if (shared == null) {
				this.requesters.put(requester, new WeakReference<>(requester));
			}
			this.latest = (shared != null) ? shared : requester;
		}
		return this.latest;
	}

}
