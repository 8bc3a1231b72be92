package io.statestore.broker.server;

import io.statestore.broker.engine.Requester;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A change of the store, or a mark, as passed to a {@link ChangeJournal}.
 *
 * @param operation the kind of change
 * @param key the key, empty for {@link Operation#START}, {@link Operation#GAP},
 * {@link Operation#CONTENT}, and {@link Operation#COMPLETE}
 * @param value the value, empty unless the operation is {@link Operation#SET} or
 * {@link Operation#PRESENT}
 * @param version the version, greater than those of all earlier changes.
 * {@link Operation#GAP}, {@link Operation#CONTENT}, {@link Operation#PRESENT}, and
 * {@link Operation#COMPLETE} may repeat the latest one
 * @param keyVersion the version of the change that set the value, for
 * {@link Operation#PRESENT}; equal to {@code version} for all other operations
 * @param clientId the MQTT client id of the author, or {@code null} if no client caused
 * the change
 * @param principal the name of the principal that the author has authenticated, or
 * {@code null} if the author is anonymous or no client caused the change
 */
public record Change(Operation operation, Bytes key, Bytes value, Version version, Version keyVersion,
		@Nullable String clientId, @Nullable String principal) {

	/** Creates a change of an anonymous client, or one that no client caused. */
	public Change(Operation operation, Bytes key, Bytes value, Version version, Version keyVersion,
			@Nullable String clientId) {
		this(operation, key, value, version, keyVersion, clientId, null);
	}

	/** Kind of a change. */
	public enum Operation {

		/** The store has started, without keys. */
		START,

		/** A key was set. */
		SET,

		/** A client deleted a key. */
		DELETE,

		/** A key has expired. */
		EXPIRE,

		/**
		 * Changes are missing between the previous change and this one. The content of
		 * the store follows.
		 */
		GAP,

		/** A key is present, as part of the content of the store. */
		PRESENT,

		/** The content that follows a {@link #GAP} or {@link #CONTENT} is complete. */
		COMPLETE,

		/** The content of the store follows, although no changes are missing. */
		CONTENT

	}

	/** Returns a change without a key. */
	static Change mark(Operation operation, Version version) {
		return new Change(operation, Bytes.EMPTY, Bytes.EMPTY, version, version, null);
	}

	static Change present(Bytes key, Bytes value, Version version, Version keyVersion) {
		return new Change(Operation.PRESENT, key, value, version, keyVersion, null);
	}

	static Change of(Bytes key, @Nullable Bytes value, Version version, @Nullable Requester author) {
		Operation operation = (value != null) ? Operation.SET : (author != null) ? Operation.DELETE : Operation.EXPIRE;
		return new Change(operation, key, (value != null) ? value : Bytes.EMPTY, version, version,
				(author != null) ? author.clientId() : null, (author != null) ? author.principal() : null);
	}

}
