package io.statestore.broker.engine;

/**
 * A store's limits for keys (protocol section 3, "the quota has been exceeded") and for
 * MQTT sessions. These limits are part of the log, because later entries depend on what
 * was refused or dropped.
 *
 * @param maxKeys maximum number of keys
 * @param maxBytes maximum total size of keys, values, and the node ids in fencing tokens,
 * in bytes. The overhead of a key, about 150 bytes, is not included. Watches are limited
 * for each watcher instead
 * @param maxKeysPerUser maximum number of existing keys that one principal has created.
 * Keys created by anonymous clients are not counted
 * @param sessionMemory maximum memory of all sessions and messages, in bytes
 * @param memoryPerSession maximum memory of one session with its messages, in bytes
 */
public record Quota(long maxKeys, long maxBytes, long maxKeysPerUser, long sessionMemory, long memoryPerSession) {

	/** A quota without limits. */
	public static final Quota UNLIMITED = new Quota(Long.MAX_VALUE, Long.MAX_VALUE);

	/**
	 * Creates a quota.
	 * @throws IllegalArgumentException if a limit is less than 1
	 */
	public Quota {
		if (maxKeys < 1 || maxBytes < 1 || maxKeysPerUser < 1 || sessionMemory < 1 || memoryPerSession < 1) {
			throw new IllegalArgumentException("'maxKeys', 'maxBytes', 'maxKeysPerUser', 'sessionMemory', and "
					+ "'memoryPerSession' must be at least 1");
		}
	}

	/**
	 * Creates a quota without session limits.
	 * @param maxKeys maximum number of keys
	 * @param maxBytes maximum size in bytes
	 * @param maxKeysPerUser maximum number of keys created by one principal
	 * @throws IllegalArgumentException if a limit is less than 1
	 */
	public Quota(long maxKeys, long maxBytes, long maxKeysPerUser) {
		this(maxKeys, maxBytes, maxKeysPerUser, Long.MAX_VALUE, Long.MAX_VALUE);
	}

	/**
	 * Creates a quota without per-principal and session limits.
	 * @param maxKeys maximum number of keys
	 * @param maxBytes maximum size in bytes
	 * @throws IllegalArgumentException if a limit is less than 1
	 */
	public Quota(long maxKeys, long maxBytes) {
		this(maxKeys, maxBytes, Long.MAX_VALUE);
	}

	/**
	 * Returns a copy with different session limits.
	 * @param sessionMemory maximum memory of all sessions and messages, in bytes
	 * @param memoryPerSession maximum memory of one session with its messages, in bytes
	 * @return a new quota
	 * @throws IllegalArgumentException if a limit is less than 1
	 */
	public Quota withSessions(long sessionMemory, long memoryPerSession) {
		return new Quota(this.maxKeys, this.maxBytes, this.maxKeysPerUser, sessionMemory, memoryPerSession);
	}

}
