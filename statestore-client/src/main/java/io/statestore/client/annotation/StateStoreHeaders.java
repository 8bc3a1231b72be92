package io.statestore.client.annotation;

/** Headers of the messages that a {@link StateStoreListener} receives. */
public final class StateStoreHeaders {

	/** The key, a {@link io.statestore.client.Key} or a {@code String}. */
	public static final String KEY = "statestore_key";

	/** The version, a {@link io.statestore.protocol.Version} or a {@code String}. */
	public static final String VERSION = "statestore_version";

	/**
	 * The operation, a {@link io.statestore.client.KeyChange.Operation} or a
	 * {@code String}.
	 */
	public static final String OPERATION = "statestore_operation";

	/** Whether earlier changes may have been skipped, a {@code boolean}. */
	public static final String RESYNCHRONIZED = "statestore_resynchronized";

	private StateStoreHeaders() {
	}

}
