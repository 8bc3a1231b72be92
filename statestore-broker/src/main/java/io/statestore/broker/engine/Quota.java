package io.statestore.broker.engine;

/**
 * Limits of a store (protocol section 3, "the quota has been exceeded").
 *
 * @param maxKeys maximum number of keys
 * @param maxBytes maximum size of all keys, values, and node ids of fencing tokens, in
 * bytes. The overhead of a key, about 150 bytes, is not included. Observations are
 * limited for each observer instead
 * @param maxKeysPerPrincipal maximum number of keys that exist and were created by one
 * principal. Keys of anonymous clients are not counted
 */
public record Quota(long maxKeys, long maxBytes, long maxKeysPerPrincipal) {

	/** A quota without limits. */
	public static final Quota UNLIMITED = new Quota(Long.MAX_VALUE, Long.MAX_VALUE);

	/**
	 * Creates a quota.
	 * @throws IllegalArgumentException if a limit is less than 1
	 */
	public Quota {
		if (maxKeys < 1 || maxBytes < 1 || maxKeysPerPrincipal < 1) {
			throw new IllegalArgumentException("'maxKeys', 'maxBytes', and 'maxKeysPerPrincipal' must be at least 1");
		}
	}

	/**
	 * Creates a quota without a limit per principal.
	 * @param maxKeys maximum number of keys
	 * @param maxBytes maximum size in bytes
	 * @throws IllegalArgumentException if a limit is less than 1
	 */
	public Quota(long maxKeys, long maxBytes) {
		this(maxKeys, maxBytes, Long.MAX_VALUE);
	}

}
