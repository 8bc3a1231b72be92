package io.statestore.history;

import io.statestore.dafka.Position;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Change of a store.
 *
 * @param position position in the topic, from which {@link HistoryQuery#after} continues
 * @param operation kind of the change
 * @param key the key, empty for {@link Operation#START}
 * @param value the new value, empty unless a value was set
 * @param version version of the change, greater than the versions of all earlier changes
 * @param clientId MQTT client id of the client that requested the change, {@code null}
 * for a start, an expiry, and a client without an id
 */
public record HistoryChange(Position position, Operation operation, Bytes key, Bytes value, Version version,
		@Nullable String clientId) {

	/** Kind of a change. The order of the constants is part of the format. */
	public enum Operation {

		/** The broker started with an empty store. */
		START,

		/** The value of a new or existing key was set. */
		SET,

		/** A client deleted a key, with DEL or VDEL. */
		DELETE,

		/** A key expired. */
		EXPIRE

	}

}
