package io.statestore.broker.server;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * One change of the store as a {@link ChangeJournal} gets it.
 *
 * @param operation what happened
 * @param key the key, empty for {@link Operation#START}
 * @param value the new value, empty unless it was set
 * @param version greater than that of every change before
 * @param clientId whose request it was, {@code null} if it was none
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

		/** The time of a key had come. */
		EXPIRE

	}

	static Change start(Version version) {
		return new Change(Operation.START, Bytes.EMPTY, Bytes.EMPTY, version, null);
	}

	static Change of(Bytes key, @Nullable Bytes value, Version version, @Nullable ClientConnection author) {
		if (value != null) {
			return new Change(Operation.SET, key, value, version, (author != null) ? author.clientId() : null);
		}
		return (author != null) ? new Change(Operation.DELETE, key, Bytes.EMPTY, version, author.clientId())
				: new Change(Operation.EXPIRE, key, Bytes.EMPTY, version, null);
	}

}
