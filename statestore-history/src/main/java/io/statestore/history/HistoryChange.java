package io.statestore.history;

import io.statestore.dafka.Position;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Change of a store, or a mark.
 * <p>
 * If changes are missing in the history, it contains a {@link Operation#GAP} instead. The
 * content of the store follows: a {@link Operation#PRESENT} for each key, and a
 * {@link Operation#COMPLETE} at the end. Changes that clients make in the meantime are
 * between them. With retention, the same records also follow an
 * {@link Operation#CONTENT}, from time to time.
 *
 * @param position position in the topic, from which {@link HistoryQuery#after} continues
 * @param operation kind of the change
 * @param key the key, empty for {@link Operation#START}, {@link Operation#GAP},
 * {@link Operation#CONTENT}, and {@link Operation#COMPLETE}
 * @param value the value, empty unless the operation is {@link Operation#SET} or
 * {@link Operation#PRESENT}
 * @param version version of the change, greater than the versions of all earlier changes.
 * {@link Operation#GAP}, {@link Operation#CONTENT}, {@link Operation#PRESENT}, and
 * {@link Operation#COMPLETE} have the version that the store had reached, so that several
 * may have the same one
 * @param keyVersion version of the change that set the value, for
 * {@link Operation#PRESENT}; equal to {@code version} for all other operations
 * @param clientId MQTT client id of the client that requested the change, {@code null}
 * for a client without an id, and for all operations except {@link Operation#SET} and
 * {@link Operation#DELETE}
 * @param principal name of the user with which that client has logged in, {@code null}
 * for an anonymous client
 */
public record HistoryChange(Position position, Operation operation, Bytes key, Bytes value, Version version,
		Version keyVersion, @Nullable String clientId, @Nullable String principal) {

	/** Creates a change of an anonymous client, or one without a client. */
	public HistoryChange(Position position, Operation operation, Bytes key, Bytes value, Version version,
			Version keyVersion, @Nullable String clientId) {
		this(position, operation, key, value, version, keyVersion, clientId, null);
	}

	/**
	 * Returns who requested the change: the principal, which the broker has verified, or
	 * otherwise the client id, which an anonymous client chooses.
	 * @return the author, {@code null} if no client requested the change
	 */
	public @Nullable String author() {
		return (this.principal != null) ? this.principal : this.clientId;
	}

	/** Kind of a change. The order of the constants is part of the format. */
	public enum Operation {

		/** The broker started with an empty store. */
		START,

		/** The value of a new or existing key was set. */
		SET,

		/** A client deleted a key, with DEL or VDEL. */
		DELETE,

		/** A key expired. */
		EXPIRE,

		/**
		 * Changes are missing between the previous record and this one. The content of
		 * the store follows.
		 */
		GAP,

		/** A key is present, as part of the content of the store. */
		PRESENT,

		/**
		 * The content that follows a {@link #GAP} or {@link #CONTENT} is complete. Keys
		 * without a {@link #SET} or {@link #PRESENT} since then do not exist.
		 */
		COMPLETE,

		/**
		 * The content of the store follows, although no changes are missing. Retention
		 * will remove earlier records, and later ones suffice for a rebuild.
		 */
		CONTENT

	}

}
