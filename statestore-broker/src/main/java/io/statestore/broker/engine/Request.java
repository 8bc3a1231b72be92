package io.statestore.broker.engine;

import io.statestore.protocol.Command;
import org.jspecify.annotations.Nullable;

/**
 * A command and the properties of its message that the engine needs.
 *
 * @param command the command
 * @param timestamp the text of {@code __ts}, or {@code null} if absent
 * @param fencingToken the text of {@code __ft}, or {@code null} if absent
 * @param observer the sender, whose observations the command may change
 * @param <O> the type of observers, compared by identity
 */
public record Request<O>(Command command, @Nullable String timestamp, @Nullable String fencingToken, O observer) {
}
