package io.statestore.client.mqtt.integration;

import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.eclipse.paho.mqttv5.client.MqttClientPersistence;
import org.eclipse.paho.mqttv5.common.MqttPersistable;
import org.jspecify.annotations.Nullable;

/**
 * Store of unacknowledged publishes that outlives a connection, so that Paho sends them
 * again over the next one. Paho's own store in memory loses them when a client closes.
 */
final class AdapterSessionStore implements MqttClientPersistence {

	private final Map<String, MqttPersistable> messages = new ConcurrentHashMap<>();

	@Override
	public void open(String clientId) {
	}

	@Override
	public void close() {
	}

	@Override
	public void put(String key, MqttPersistable message) {
		this.messages.put(key, message);
	}

	@Override
	public @Nullable MqttPersistable get(String key) {
		return this.messages.get(key);
	}

	@Override
	public void remove(String key) {
		this.messages.remove(key);
	}

	@Override
	public Enumeration<String> keys() {
		return Collections.enumeration(List.copyOf(this.messages.keySet()));
	}

	/**
	 * Does nothing. Paho would clear the store even when a connection with a clean start
	 * breaks, although the session continues.
	 */
	@Override
	public void clear() {
	}

	/** Removes all messages, because the session has ended. */
	void endSession() {
		this.messages.clear();
	}

	@Override
	public boolean containsKey(String key) {
		return this.messages.containsKey(key);
	}

}
