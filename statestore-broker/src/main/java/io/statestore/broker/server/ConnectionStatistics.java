package io.statestore.broker.server;

/**
 * Statistics of a broker's network connections.
 *
 * @param open number of open connections
 * @param refused number of connections closed since the start because their address had
 * too many
 * @param tlsFailures number of failed TLS handshakes since the start
 */
public record ConnectionStatistics(int open, long refused, long tlsFailures) {

	/** Statistics of a server without connections of its own, such as a gateway. */
	public static final ConnectionStatistics NONE = new ConnectionStatistics(0, 0, 0);

}
