package io.statestore.client;

import io.statestore.protocol.Version;

/**
 * What became of a {@code set}.
 *
 * @param applied whether the value was stored; {@code false} only if a condition of the
 * {@link SetSpec} did not hold
 * @param version the new version if applied, otherwise that of the value that is stored
 */
public record SetResult(boolean applied, Version version) {
}
