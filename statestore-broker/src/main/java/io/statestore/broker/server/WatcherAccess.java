package io.statestore.broker.server;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.statestore.broker.memory.MemoryUse;
import io.statestore.protocol.Bytes;

/**
 * Ends watches whose clients may no longer read the key. Used only within the serial
 * executor.
 */
final class WatcherAccess {

	private final Watches watches;

	private final KeyAccess access;

	WatcherAccess(Watches watches, KeyAccess access) {
		this.watches = watches;
		this.access = access;
	}

	/**
	 * Returns the watchers that may read a key and ends the key's other watches.
	 * @param watchers all watchers of the key
	 */
	Collection<ClientConnection> permitted(Bytes key, Collection<ClientConnection> watchers) {
		boolean all = true;
		for (ClientConnection watcher : watchers) {
			all &= this.access.mayRead(watcher, key);
		}
		if (all) {
			return watchers;
		}
		List<ClientConnection> permitted = new ArrayList<>();
		for (ClientConnection watcher : List.copyOf(watchers)) {
			if (permits(watcher, key)) {
				permitted.add(watcher);
			}
		}
		return permitted;
	}

	/**
	 * Returns whether a watcher may read a key. If not, ends its watch for this key. A
	 * pattern watch continues for other keys.
	 */
	boolean permits(ClientConnection watcher, Bytes key) {
		if (this.access.mayRead(watcher, key)) {
			return true;
		}
		if (this.watches.remove(watcher, key)) {
			this.access.endedWatch(watcher, key);
			watcher.memory().release(MemoryUse.OBSERVATION, Watches.cost(key));
			watcher.watchEnded(key);
		}
		return false;
	}

}
