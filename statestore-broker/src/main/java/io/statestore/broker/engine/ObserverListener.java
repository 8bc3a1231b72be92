package io.statestore.broker.engine;

import java.util.Collection;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Version;

/**
 * A listener for changes of observed keys. It is called in version order, before the
 * reply to the request that caused the change (protocol section 6). It must neither throw
 * nor call the engine.
 *
 * @param <O> the type of observers
 */
@FunctionalInterface
public interface ObserverListener<O> {

	/**
	 * Handles a change of an observed key.
	 * @param key the key
	 * @param change the change; an expiry is a deletion
	 * @param version the version of the change
	 * @param observers the observers of the key, at least one, in no particular order.
	 * Valid only during the call
	 */
	void changed(Bytes key, Notification change, Version version, Collection<O> observers);

}
