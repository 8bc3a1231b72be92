package io.statestore.broker.engine;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Listener for all changes of the store, whether or not the key is observed. Called in
 * version order, before the notifications and the reply. Must not throw and must not call
 * the engine.
 *
 * @param <O> what observes, and asks
 */
@FunctionalInterface
public interface ChangeLog<O> {

	/**
	 * A key has changed.
	 * @param key the key
	 * @param value its new value, {@code null} if it is gone
	 * @param version the version of the change, greater than that of all before
	 * @param author whose request it was, {@code null} if its time has come
	 */
	void changed(Bytes key, @Nullable Bytes value, Version version, @Nullable O author);

}
