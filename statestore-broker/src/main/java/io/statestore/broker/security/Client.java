package io.statestore.broker.security;

/**
 * An MQTT client whose permissions are checked.
 *
 * @param clientId the MQTT client id
 * @param principal the client's authenticated identity, or
 * {@link ClientPrincipal#ANONYMOUS}
 */
public record Client(String clientId, ClientPrincipal principal) {
}
