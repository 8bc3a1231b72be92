package io.statestore.broker.server;

/**
 * Numbers of security events since the start of a broker.
 *
 * @param logins number of clients that have logged in, including re-authentications
 * @param refusedLogins number of clients that were refused because of their credentials,
 * their address, or a client id that belongs to another user
 * @param deniedRequests number of requests that were denied, and of watches that ended,
 * because rules do not permit them
 * @param deniedTopics number of messages, filters of subscriptions, wills, and response
 * topics that were denied
 */
public record SecurityStatistics(long logins, long refusedLogins, long deniedRequests, long deniedTopics) {

	/** No events. */
	public static final SecurityStatistics NONE = new SecurityStatistics(0, 0, 0, 0);

}
