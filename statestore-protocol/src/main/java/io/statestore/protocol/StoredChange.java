package io.statestore.protocol;

import org.jspecify.annotations.Nullable;

/**
 * A change in the history of a store.
 *
 * @param operation the kind of change
 * @param key the key, empty for {@link Operation#GAP}
 * @param value the value, empty unless the operation is {@link Operation#SET} or
 * {@link Operation#PRESENT}
 * @param version the version of the change, greater than those of all earlier changes.
 * For {@link Operation#PRESENT}, the version of the change that set the value
 * @param client the MQTT client id of the client that requested the change, {@code null}
 * if no client did
 * @param principal the name with which this client had logged in, {@code null} if it had
 * not
 */
public record StoredChange(Operation operation, Bytes key, Bytes value, Version version, @Nullable String client,
		@Nullable String principal) {

	/**
	 * Returns who requested the change: the principal, which the server has verified, or
	 * otherwise the client id, which an anonymous client chooses.
	 * @return the author, {@code null} if no client requested the change
	 */
	public @Nullable String author() {
		return (this.principal != null) ? this.principal : this.client;
	}

	/** Kind of a change. */
	public enum Operation {

		/** The value of a new or existing key was set. */
		SET,

		/** A client deleted a key, with DEL or VDEL. */
		DELETE,

		/** A key expired, or was not to survive a restart of the server. */
		EXPIRE,

		/** A key was present where the history, or the part behind a gap, begins. */
		PRESENT,

		/**
		 * Changes are missing. The keys that are {@link #PRESENT} behind them follow, and
		 * all other keys are absent.
		 */
		GAP

	}

}
