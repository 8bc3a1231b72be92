package io.statestore.protocol;

import org.jspecify.annotations.Nullable;

/**
 * A change in a store's history.
 *
 * @param operation the kind of change
 * @param key the key, empty for {@link Operation#GAP}
 * @param value the value, empty unless the operation is {@link Operation#SET} or
 * {@link Operation#PRESENT}
 * @param version the version of the change, greater than the versions of all earlier
 * changes. For {@link Operation#PRESENT}, the version of the change that set the value
 * @param client the id of the MQTT client that requested the change, {@code null} if no
 * client did
 * @param principal the name of this client's principal, {@code null} if it was anonymous
 */
public record StoredChange(Operation operation, Bytes key, Bytes value, Version version, @Nullable String client,
		@Nullable String principal) {

	/**
	 * Returns who requested the change: the principal, which the server has verified, or
	 * else the client id, which anonymous clients can choose.
	 * @return the author, {@code null} if no client requested the change
	 */
	public @Nullable String author() {
		return (this.principal != null) ? this.principal : this.client;
	}

	/** The kinds of changes. */
	public enum Operation {

		/** The value of a new or existing key was set. */
		SET,

		/** A client deleted a key, with DEL or VDEL. */
		DELETE,

		/**
		 * A key expired, or was removed at a server restart because it was not
		 * persistent.
		 */
		EXPIRE,

		/**
		 * A key was present where the history begins, or where it continues after a gap.
		 */
		PRESENT,

		/**
		 * Changes are missing. The keys that are {@link #PRESENT} after the gap follow;
		 * all other keys are absent.
		 */
		GAP

	}

}
