package io.statestore.broker.engine;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A listener for all changes of a {@link StateMachine}, in version order. It is called at
 * the end of each entry, and must neither throw nor change the machine.
 */
@FunctionalInterface
public interface ChangeListener {

	/**
	 * Handles a change.
	 * @param key the key. May share the memory of a request, see {@link Bytes#compact()}
	 * @param value the new value, or {@code null} for a deletion. May share the memory of
	 * a request
	 * @param version the version of the change, greater than all earlier ones
	 * @param author the client that sent the request, or {@code null} for an expiry and
	 * for a key that was removed by a start
	 */
	void changed(Bytes key, @Nullable Bytes value, Version version, @Nullable Requester author);

}
