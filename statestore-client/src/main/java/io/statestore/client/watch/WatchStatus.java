package io.statestore.client.watch;

import java.util.List;

import io.statestore.client.Key;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Status of a watched key at one moment.
 *
 * @param key the key
 * @param active whether changes of the key arrive now
 * @param version version of the last known value or deletion, {@code null} if none is
 * known
 * @param listeners names of the listeners
 */
public record WatchStatus(Key key, boolean active, @Nullable Version version, List<String> listeners) {
}
