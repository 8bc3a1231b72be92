package io.statestore.protocol;

import org.jspecify.annotations.Nullable;

/**
 * One page of a backup, the answer to a {@link BackupQuery}. The file of the backup
 * consists of all pages.
 *
 * @param data the content. That of the last page is the SHA-256 digest of all others
 * @param token the token of the next page, or {@code null} if this is the last one
 */
public record BackupPage(Bytes data, @Nullable String token) {
}
