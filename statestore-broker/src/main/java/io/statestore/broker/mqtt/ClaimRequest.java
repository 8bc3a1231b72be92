package io.statestore.broker.mqtt;

/**
 * Request of a connection for its client id.
 *
 * @param clientId id of the client as the client sent it
 * @param principal name of its principal, empty if it is anonymous
 * @param adopts whether sessions of anonymous clients may be continued by any principal,
 * because no client is anonymous any longer
 * @param arrival number of the CONNECT, in the order of arrival
 */
record ClaimRequest(String clientId, String principal, boolean adopts, long arrival) {
}
