package io.statestore.broker.server;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;

import io.statestore.broker.engine.Requester;

/**
 * Shares one object among equal requesters. Every lock keeps its client, so copies could
 * exceed the memory of the store. Does not keep unused requesters.
 */
final class SharedRequesters {

	private final Map<Requester, WeakReference<Requester>> requesters = new WeakHashMap<>();

	/** Returns the first of all equal requesters that is still in use. */
	Requester share(Requester requester) {
		WeakReference<Requester> reference = this.requesters.get(requester);
		Requester shared = (reference != null) ? reference.get() : null;
		if (shared != null) {
			return shared;
		}
		this.requesters.put(requester, new WeakReference<>(requester));
		return requester;
	}

}
