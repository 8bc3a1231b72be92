package io.statestore.broker.engine;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Receives all changes of a {@link StateMachine}, in version order, at the end of each
 * entry. Must neither throw nor change the machine.
 */
@FunctionalInterface
public interface ChangeListener {

	/**
	 * Handles a change.
	 * @param key the key. May share memory with the request, see {@link Bytes#compact()}
	 * @param value the new value, or {@code null} for a deletion. May share memory with
	 * the request
	 * @param version the version of the change, greater than all earlier versions
	 * @param author the client that sent the request, or {@code null} if the key expired
	 * or was removed at startup
	 */
	void changed(Bytes key, @Nullable Bytes value, Version version, @Nullable Requester author);

}
