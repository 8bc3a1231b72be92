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
 * @param <O> type of the observers
 */
@FunctionalInterface
public interface ChangeListener<O> {

	/**
	 * Called after the change of an observed key.
	 * @param key the key
	 * @param change the new value, or a deletion, also for an expired key
	 * @param version version of the change
	 * @param observers observers of the key, at least one, in no particular order. Valid
	 * only during the call
	 */
	void changed(Bytes key, Notification change, Version version, Collection<O> observers);

}
