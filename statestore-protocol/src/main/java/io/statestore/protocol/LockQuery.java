package io.statestore.protocol;

import org.jspecify.annotations.Nullable;

/**
 * An administration request for one page of the locks of a server of this project.
 *
 * @param pattern the pattern of the keys, as in a SCAN (protocol section 2)
 * @param all whether to include keys that may be locks of other clients: keys that were
 * set with an expiry on the condition that they were absent
 * @param token the token of the previous page, or {@code null} for the first page
 */
public record LockQuery(Bytes pattern, boolean all, @Nullable String token) implements AdministrationRequest {
}
