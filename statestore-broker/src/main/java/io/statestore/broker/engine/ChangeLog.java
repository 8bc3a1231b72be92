package io.statestore.broker.engine;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Listener for all changes of the store, whether or not the key is observed. Called in
 * version order, before the notifications and the reply. Must not throw and must not call
 * the engine.
 *
 * @param <O> type of the observers, which also send requests
 */
@FunctionalInterface
public interface ChangeLog<O> {

	/**
	 * Called after the change of a key.
	 * @param key the key
	 * @param value the new value, {@code null} if the key was deleted or has expired
	 * @param version version of the change, greater than all earlier ones
	 * @param author sender of the request, {@code null} if the key has expired
	 */
	void changed(Bytes key, @Nullable Bytes value, Version version, @Nullable O author);

}
