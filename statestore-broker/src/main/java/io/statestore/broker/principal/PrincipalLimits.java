package io.statestore.broker.principal;

import io.statestore.protocol.InvalidOptionException;
import org.jspecify.annotations.Nullable;

/**
 * Configured limits per principal. Each limit has the name of its option. An invalid
 * limit causes an {@link InvalidOptionException}.
 *
 * @param maxKeys maximum number of keys that the principal has created, at least 1. A key
 * counts until it is deleted or expires. Above the limit, the store refuses new keys with
 * "the quota has been exceeded". {@code null}, the default, for three quarters of the
 * maximum number of all keys
 * @param maxConnections maximum number of the principal's connections, at least 1. Above
 * it, clients are refused with reason code 0x97, Quota exceeded, unless they take over an
 * earlier connection. Default 4,096
 * @param maxRequests maximum number of the principal's unanswered requests, at least 1.
 * Above it, more requests have to wait, and the broker stops reading from their
 * connections. Default 16,384
 */
public record PrincipalLimits(@Nullable Long maxKeys, long maxConnections, long maxRequests) {

	/** The default limits. */
	public static final PrincipalLimits DEFAULT = new PrincipalLimits(null, 4_096, 16_384);

	/**
	 * Maximum number of unanswered requests per principal that visit many keys, such as
	 * SCAN. Each takes up to a millisecond, during which other clients' requests wait.
	 */
	static final int MAX_SCANS = 4;

	public PrincipalLimits {
		if (maxKeys != null) {
			InvalidOptionException.requireWithin("maxKeysPerUser", maxKeys, 1, Long.MAX_VALUE);
		}
		InvalidOptionException.requireWithin("maxConnectionsPerUser", maxConnections, 1, Integer.MAX_VALUE);
		InvalidOptionException.requireWithin("maxRequestsPerUser", maxRequests, 1, Integer.MAX_VALUE);
	}

	/**
	 * Returns a copy with a different maximum number of keys.
	 * @param maxKeys the maximum number of keys, at least 1
	 * @return new limits
	 */
	public PrincipalLimits withMaxKeys(long maxKeys) {
		return new PrincipalLimits(maxKeys, this.maxConnections, this.maxRequests);
	}

	/**
	 * Returns a copy with a different maximum number of connections.
	 * @param maxConnections the maximum number of connections, at least 1
	 * @return new limits
	 */
	public PrincipalLimits withMaxConnections(long maxConnections) {
		return new PrincipalLimits(this.maxKeys, maxConnections, this.maxRequests);
	}

	/**
	 * Returns a copy with a different maximum number of unanswered requests.
	 * @param maxRequests the maximum number of unanswered requests, at least 1
	 * @return new limits
	 */
	public PrincipalLimits withMaxRequests(long maxRequests) {
		return new PrincipalLimits(this.maxKeys, this.maxConnections, maxRequests);
	}

	/**
	 * Returns the maximum number of keys per principal.
	 * @param maxKeysOfAll maximum number of all keys
	 * @return the configured number, or three quarters of all keys
	 */
	public long maxKeys(long maxKeysOfAll) {
		return (this.maxKeys != null) ? this.maxKeys : Math.max(1, maxKeysOfAll - maxKeysOfAll / 4);
	}

}
