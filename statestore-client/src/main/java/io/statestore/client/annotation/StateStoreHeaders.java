package io.statestore.client.annotation;

/** Headers of the messages that a {@link StateStoreListener} receives. */
public final class StateStoreHeaders {

	/** Header with the key, as a {@link io.statestore.client.Key} or a {@code String}. */
	public static final String KEY = "statestore_key";

	/**
	 * Header with the version, as a {@link io.statestore.protocol.Version} or a
	 * {@code String}.
	 */
	public static final String VERSION = "statestore_version";

	/**
	 * Header with the operation, as a {@link io.statestore.client.KeyChange.Operation} or
	 * a {@code String}.
	 */
	public static final String OPERATION = "statestore_operation";

	/** Header with a {@code boolean}: whether earlier changes may have been skipped. */
	public static final String RESYNCHRONIZED = "statestore_resynchronized";

	private StateStoreHeaders() {
	}

}
