package io.statestore.broker.engine;

/**
 * Limits of a store: of its keys (protocol section 3, "the quota has been exceeded"), and
 * of its MQTT sessions. Both are part of the log, because later entries depend on what
 * was refused or dropped.
 *
 * @param maxKeys maximum number of keys
 * @param maxBytes maximum size of all keys, values, and node ids of fencing tokens, in
 * bytes. The overhead of a key, about 150 bytes, is not included. Watches are limited for
 * each watcher instead
 * @param maxKeysPerUser maximum number of keys that exist and were created by one
 * principal. Keys of anonymous clients are not counted
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
	 * Creates a quota without limits of sessions.
	 * @param maxKeys maximum number of keys
	 * @param maxBytes maximum size in bytes
	 * @param maxKeysPerUser maximum number of keys of one principal
	 * @throws IllegalArgumentException if a limit is less than 1
	 */
	public Quota(long maxKeys, long maxBytes, long maxKeysPerUser) {
		this(maxKeys, maxBytes, maxKeysPerUser, Long.MAX_VALUE, Long.MAX_VALUE);
	}

	/**
	 * Creates a quota without a limit per principal, and without limits of sessions.
	 * @param maxKeys maximum number of keys
	 * @param maxBytes maximum size in bytes
	 * @throws IllegalArgumentException if a limit is less than 1
	 */
	public Quota(long maxKeys, long maxBytes) {
		this(maxKeys, maxBytes, Long.MAX_VALUE);
	}

	/**
	 * Returns a quota with other limits of sessions.
	 * @param sessionMemory maximum memory of all sessions and messages, in bytes
	 * @param memoryPerSession maximum memory of one session with its messages, in bytes
	 * @return a new quota
	 * @throws IllegalArgumentException if a limit is less than 1
	 */
	public Quota withSessions(long sessionMemory, long memoryPerSession) {
		return new Quota(this.maxKeys, this.maxBytes, this.maxKeysPerUser, sessionMemory, memoryPerSession);
	}

	/**
	 * Returns a quota without limits of sessions.
	 * @return a new quota
	 */
	public Quota withoutSessions() {
		return withSessions(Long.MAX_VALUE, Long.MAX_VALUE);
	}

	/**
	 * Returns whether sessions are limited. The nodes of a cluster keep them in their log
	 * only then.
	 * @return whether there is a limit
	 */
	public boolean limitsSessions() {
		return this.sessionMemory != Long.MAX_VALUE || this.memoryPerSession != Long.MAX_VALUE;
	}

}
