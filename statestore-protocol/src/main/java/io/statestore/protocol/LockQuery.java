package io.statestore.protocol;

import org.jspecify.annotations.Nullable;

/**
 * An administration request for one page of the locks on one of this project's servers.
 *
 * @param pattern the pattern for keys, as in a SCAN (protocol section 2)
 * @param all whether to include keys that may be other libraries' locks: keys that were
 * set with an expiry while they were absent
 * @param token the token from the previous page, or {@code null} for the first page
 */
public record LockQuery(Bytes pattern, boolean all, @Nullable String token) implements AdministrationRequest {
}
