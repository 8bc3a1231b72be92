package io.statestore.client.mqtt.integration;

import org.eclipse.paho.mqttv5.client.persist.MemoryPersistence;
import org.eclipse.paho.mqttv5.common.MqttPersistenceException;

/**
 * Store of the unacknowledged publishes of a session, which outlives a connection, so
 * that Paho sends them again over the next one. Paho itself would clear it when a client
 * closes, and when a connection with a clean start breaks.
 */
final class AdapterSessionStore extends MemoryPersistence {

	private boolean opened;

	@Override
	public void open(String clientId) throws MqttPersistenceException {
		if (!this.opened) {
			super.open(clientId);
			this.opened = true;
		}
	}

	@Override
	public void close() {
	}

	@Override
	public void clear() {
	}

}
