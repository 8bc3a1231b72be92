package io.statestore.broker.engine;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A listener for all changes of the store, observed or not. It is called in version
 * order, before the notifications and the reply. It must neither throw nor call the
 * engine.
 *
 * @param <O> the type of observers and authors
 */
@FunctionalInterface
public interface ChangeLog<O> {

	/**
	 * Handles a change.
	 * @param key the key
	 * @param value the new value, or {@code null} for a deletion
	 * @param version the version of the change, greater than all earlier ones
	 * @param author the sender of the request, or {@code null} for an expiry
	 */
	void changed(Bytes key, @Nullable Bytes value, Version version, @Nullable O author);

}
