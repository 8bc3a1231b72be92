package io.statestore.broker.log;

import java.nio.file.Path;
import java.util.UUID;

/**
 * Result of {@link StoreDirectory#backup} and {@link StoreDirectory#restore}.
 *
 * @param file the file with the backup
 * @param storeId identity of the store
 * @param lastIndex index of the last entry in the backup
 * @param bytes size of the file, in bytes
 */
public record BackupReport(Path file, UUID storeId, long lastIndex, long bytes) {
}
