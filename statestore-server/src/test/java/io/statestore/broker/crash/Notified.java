package io.statestore.broker.crash;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A notification that arrived.
 *
 * @param connection the watcher's connection
 * @param key key that changed
 * @param value its new value, {@code null} if it was deleted or has expired
 * @param version version of the change
 * @param time time of arrival
 */
public record Notified(String connection, Bytes key, @Nullable Bytes value, Version version, long time) {
}
