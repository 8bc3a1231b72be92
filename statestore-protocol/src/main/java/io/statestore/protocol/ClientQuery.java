package io.statestore.protocol;

import org.jspecify.annotations.Nullable;

/**
 * An administration request for one page of the clients that are connected to one of this
 * project's brokers.
 *
 * @param token the token from the previous page, or {@code null} for the first page
 */
public record ClientQuery(@Nullable String token) implements AdministrationRequest {
}
