package io.statestore.broker.engine;

import java.util.Collection;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Version;

/**
 * Listener for changes of observed keys. Called in version order, before the reply to the
 * request that caused the change (protocol section 6). Must not throw and must not call
 * the engine.
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
