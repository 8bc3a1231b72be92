package io.statestore.broker.engine;

import java.util.Collection;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Version;

/**
 * Told about every change of a key that somebody observes, in the order of the versions
 * and before the request that made the change is answered (protocol section 6). Must not
 * throw and must not call the engine.
 *
 * @param <O> what observes
 */
@FunctionalInterface
public interface ChangeListener<O> {

	/**
	 * A key has changed.
	 * @param key the key
	 * @param change what happened to it; an expired key is deleted
	 * @param version the version of the change
	 * @param observers who observes the key, at least one, in no particular order; valid
	 * during the call
	 */
	void changed(Bytes key, Notification change, Version version, Collection<O> observers);

}
