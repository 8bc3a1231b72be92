package io.statestore.client.mqtt;

import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.eclipse.paho.mqttv5.client.MqttClientPersistence;
import org.eclipse.paho.mqttv5.common.MqttPersistable;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the publishes that the broker has not acknowledged from one connection to the
 * next, where Paho sends them again. Paho's own store in memory forgets them when a
 * client closes.
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
	 * Does nothing. Paho would also clear the store when a connection with a clean start
	 * breaks, although its session goes on.
	 */
	@Override
	public void clear() {
	}

	/** Forgets all messages, because the session has ended. */
	void endSession() {
		this.messages.clear();
	}

	@Override
	public boolean containsKey(String key) {
		return this.messages.containsKey(key);
	}

}
