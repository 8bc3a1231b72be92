package io.statestore.broker.server;

/**
 * Statistics of a broker's network connections.
 *
 * @param open number of open connections
 * @param refused number of connections closed since startup because their address had too
 * many
 * @param tlsFailures number of failed TLS handshakes since startup
 */
public record ConnectionStatistics(int open, long refused, long tlsFailures) {

	/**
	 * Statistics of a server that has no network connections with clients, such as a
	 * gateway.
	 */
	public static final ConnectionStatistics NONE = new ConnectionStatistics(0, 0, 0);

}
