package io.statestore.broker.server;

/**
 * Counts of security events since a broker started.
 *
 * @param logins number of successful logins, including re-authentications
 * @param refusedLogins number of clients that were refused because of their credentials,
 * their address, or a client id that belongs to another user
 * @param deniedRequests number of requests denied and watches ended because the rules do
 * not permit them
 * @param deniedTopics number of denied messages, subscription filters, wills, and
 * response topics
 */
public record SecurityStatistics(long logins, long refusedLogins, long deniedRequests, long deniedTopics) {

	/** No events. */
	public static final SecurityStatistics NONE = new SecurityStatistics(0, 0, 0, 0);

}
