package io.statestore.client;

import io.statestore.protocol.Version;

/**
 * Result of {@code set}.
 *
 * @param applied whether the value was stored; {@code false} only if the condition of the
 * {@link SetSpec} did not hold
 * @param version the new version if applied, otherwise the version of the stored value
 */
public record SetResult(boolean applied, Version version) {
}
