package io.statestore.broker.principal;

/**
 * Limits of a broker's principals, and how often they took effect since the start.
 * Clients that have not logged in are not counted.
 *
 * @param principals number of principals with connections
 * @param maxKeys maximum number of keys that one principal may create
 * @param maxConnections maximum number of connections of one principal
 * @param maxRequests maximum number of unanswered requests of one principal
 * @param refusedKeys requests for a new key that were refused with "the quota has been
 * exceeded" because the principal had too many keys. Also counted by
 * {@code store.refusedRequests}
 * @param refusedConnections connections refused because their principal had too many
 * @param delayedRequests times that a connection waited because its principal had too
 * many unanswered requests or SCANs. All anonymous clients count as one principal for
 * SCANs
 */
public record PrincipalStatistics(int principals, long maxKeys, long maxConnections, long maxRequests, long refusedKeys,
		long refusedConnections, long delayedRequests) {

	/** The statistics of a server whose clients cannot log in, such as a gateway. */
	public static final PrincipalStatistics NONE = new PrincipalStatistics(0, Long.MAX_VALUE, Long.MAX_VALUE,
			Long.MAX_VALUE, 0, 0, 0);

}
