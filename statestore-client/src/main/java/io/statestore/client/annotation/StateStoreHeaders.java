package io.statestore.client.annotation;

/** The headers of messages that a {@link StateStoreListener} gets. */
public final class StateStoreHeaders {

	/** A {@link io.statestore.client.Key}, also readable as a text. */
	public static final String KEY = "statestore_key";

	/** A {@link io.statestore.protocol.Version}, also readable as a text. */
	public static final String VERSION = "statestore_version";

	/** A {@link io.statestore.client.KeyChange.Operation}, also readable as a text. */
	public static final String OPERATION = "statestore_operation";

	/** A boolean: whether earlier changes may have been skipped. */
	public static final String RESYNCHRONISED = "statestore_resynchronised";

	private StateStoreHeaders() {
	}

}
