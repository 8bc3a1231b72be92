package io.statestore.protocol;

import org.jspecify.annotations.Nullable;

/**
 * An administration request for one page of the MQTT sessions on one of this project's
 * brokers.
 *
 * @param token the token from the previous page, or {@code null} for the first page
 */
public record SessionQuery(@Nullable String token) implements AdministrationRequest {
}
