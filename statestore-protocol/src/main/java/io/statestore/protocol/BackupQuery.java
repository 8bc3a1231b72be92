package io.statestore.protocol;

import org.jspecify.annotations.Nullable;

/**
 * An administration request for one page of a backup.
 *
 * @param token the token from the previous page, or {@code null} to begin a backup
 */
public record BackupQuery(@Nullable String token) implements AdministrationRequest {
}
