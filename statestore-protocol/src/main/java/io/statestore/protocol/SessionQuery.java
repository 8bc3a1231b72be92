package io.statestore.protocol;

import org.jspecify.annotations.Nullable;

/**
 * An administration request for one page of the MQTT sessions of a broker of this
 * project.
 *
 * @param token the token of the previous page, or {@code null} for the first page
 */
public record SessionQuery(@Nullable String token) implements AdministrationRequest {
}
