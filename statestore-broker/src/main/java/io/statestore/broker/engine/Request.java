package io.statestore.broker.engine;

import io.statestore.protocol.Command;
import org.jspecify.annotations.Nullable;

/**
 * A command with what the engine needs to know of its envelope.
 *
 * @param command what to do
 * @param timestamp the text of {@code __ts}, {@code null} if absent
 * @param fencingToken the text of {@code __ft}, {@code null} if absent
 * @param observer who asks: the one whose observations the command may change
 * @param <O> what observes; compared by identity
 */
public record Request<O>(Command command, @Nullable String timestamp, @Nullable String fencingToken, O observer) {
}
