package io.statestore.broker.engine;

import io.statestore.protocol.Command;
import org.jspecify.annotations.Nullable;

/**
 * Command with the properties of its MQTT message.
 *
 * @param command the command
 * @param timestamp value of {@code __ts}, {@code null} if absent
 * @param fencingToken value of {@code __ft}, {@code null} if absent
 * @param observer sender of the request, whose observations the command may change
 * @param <O> type of the observers, which are compared by identity
 */
public record Request<O>(Command command, @Nullable String timestamp, @Nullable String fencingToken, O observer) {
}
