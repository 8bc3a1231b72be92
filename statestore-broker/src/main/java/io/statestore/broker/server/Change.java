package io.statestore.broker.server;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A change of the store, as passed to a {@link ChangeJournal}.
 *
 * @param operation the kind of change
 * @param key the key, empty for {@link Operation#START}
 * @param value the new value, empty unless the key was set
 * @param version the version, greater than those of all earlier changes
 * @param clientId the MQTT client id of the author, or {@code null} if no client caused
 * the change
 */
public record Change(Operation operation, Bytes key, Bytes value, Version version, @Nullable String clientId) {

	/** Kind of a change. */
	public enum Operation {

		/** The store has started, without keys. */
		START,

		/** A key was set. */
		SET,

		/** A client deleted a key. */
		DELETE,

		/** A key has expired. */
		EXPIRE

	}

	static Change start(Version version) {
		return new Change(Operation.START, Bytes.EMPTY, Bytes.EMPTY, version, null);
	}

	static Change of(Bytes key, @Nullable Bytes value, Version version, @Nullable String clientId) {
		if (value != null) {
			return new Change(Operation.SET, key, value, version, clientId);
		}
		return (clientId != null) ? new Change(Operation.DELETE, key, Bytes.EMPTY, version, clientId)
				: new Change(Operation.EXPIRE, key, Bytes.EMPTY, version, null);
	}

}
