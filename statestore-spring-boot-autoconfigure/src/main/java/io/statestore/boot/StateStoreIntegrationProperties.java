package io.statestore.boot;

import java.time.Duration;

import io.statestore.client.mqtt.integration.StateStoreClientManager;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/** Properties of the connection of Spring Integration's MQTT adapters. */
@ConfigurationProperties("statestore.integration")
public class StateStoreIntegrationProperties {

	/**
	 * MQTT client id of the adapters' connection. By default the client id of the state
	 * store client with '-integration' appended.
	 */
	private @Nullable String clientId;

	/**
	 * Time for which the broker keeps the session of the adapters, and messages for them,
	 * without a connection. At least one second.
	 */
	private Duration sessionExpiry = StateStoreClientManager.DEFAULT_SESSION_EXPIRY;

	/**
	 * Whether flows acknowledge the messages of inbound adapters themselves.
	 */
	private boolean manualAcks;

	public @Nullable String getClientId() {
		return this.clientId;
	}

	public void setClientId(@Nullable String clientId) {
		this.clientId = clientId;
	}

	public Duration getSessionExpiry() {
		return this.sessionExpiry;
	}

	public void setSessionExpiry(Duration sessionExpiry) {
		this.sessionExpiry = sessionExpiry;
	}

	public boolean isManualAcks() {
		return this.manualAcks;
	}

	public void setManualAcks(boolean manualAcks) {
		this.manualAcks = manualAcks;
	}

}
