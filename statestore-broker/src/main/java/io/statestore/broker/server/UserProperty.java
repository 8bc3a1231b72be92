package io.statestore.broker.server;

/** One MQTT 5 user property; names may repeat. */
public record UserProperty(String name, String value) {
}
