package io.statestore.broker.security;

/**
 * An MQTT client whose permissions are checked.
 *
 * @param clientId the MQTT client id
 * @param principal the identity that it has authenticated, or
 * {@link ClientPrincipal#ANONYMOUS}
 */
public record Client(String clientId, ClientPrincipal principal) {
}
