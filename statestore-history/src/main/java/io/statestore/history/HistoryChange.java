package io.statestore.history;

import io.statestore.dafka.Position;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * One change of the store.
 *
 * @param position its place in the topic; to go on behind it see
 * {@link HistoryQuery#after}
 * @param operation what happened
 * @param key the key, empty for {@link Operation#START}
 * @param value the new value, empty unless it was set
 * @param version greater than that of every change before
 * @param clientId the MQTT client id of who asked for it, {@code null} for a start, an
 * expiry, and a client without id
 */
public record HistoryChange(Position position, Operation operation, Bytes key, Bytes value, Version version,
		@Nullable String clientId) {

	/** What happened. The order is that of the format. */
	public enum Operation {

		/** The broker started, and its store with no keys. */
		START,

		/** A key got a value, whether it had one or not. */
		SET,

		/** A client deleted a key, with DEL or VDEL. */
		DELETE,

		/** The time of a key had come. */
		EXPIRE

	}

}
