package io.statestore.broker.server;

/**
 * An MQTT 5 user property. Names may repeat.
 *
 * @param name the name, such as {@code __ts}
 * @param value the value, possibly empty
 */
public record UserProperty(String name, String value) {
}
