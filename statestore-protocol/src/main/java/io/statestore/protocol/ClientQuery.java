package io.statestore.protocol;

import org.jspecify.annotations.Nullable;

/**
 * An administration request for one page of the clients that are connected to a broker of
 * this project.
 *
 * @param token the token of the previous page, or {@code null} for the first page
 */
public record ClientQuery(@Nullable String token) implements AdministrationRequest {
}
