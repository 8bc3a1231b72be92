package io.statestore.broker.principal;

/**
 * Limits per principal, and the number of times that they have taken effect since
 * startup. Clients that have not logged in are not counted.
 *
 * @param principals number of principals with connections
 * @param maxKeys maximum number of keys that one principal may create
 * @param maxConnections maximum number of connections per principal
 * @param maxRequests maximum number of unanswered requests per principal
 * @param refusedKeys requests for a new key that were refused with "the quota has been
 * exceeded" because the principal had too many keys. Also counted by
 * {@code store.refusedRequests}
 * @param refusedConnections connections refused because their principal had too many
 * @param delayedRequests number of times a connection waited because its principal had
 * too many unanswered requests or SCANs. For SCANs, all anonymous clients count as one
 * principal
 */
public record PrincipalStatistics(int principals, long maxKeys, long maxConnections, long maxRequests, long refusedKeys,
		long refusedConnections, long delayedRequests) {

	/** The statistics of a server whose clients cannot log in, such as a gateway. */
	public static final PrincipalStatistics NONE = new PrincipalStatistics(0, Long.MAX_VALUE, Long.MAX_VALUE,
			Long.MAX_VALUE, 0, 0, 0);

}
