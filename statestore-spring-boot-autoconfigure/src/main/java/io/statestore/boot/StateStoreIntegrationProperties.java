package io.statestore.boot;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties for the connection used by Spring Integration's MQTT adapters.
 *
 * @param clientId MQTT client ID of the adapters' connection. By default, the state store
 * client's ID with '-integration' appended.
 * @param sessionExpiry How long the broker keeps the adapters' session and queues
 * messages for them while they are disconnected. At least one second.
 * @param manualAcks Whether flows acknowledge the inbound adapters' messages explicitly.
 * By default, a message is acknowledged automatically.
 */
@ConfigurationProperties("statestore.integration")
record StateStoreIntegrationProperties(@Nullable String clientId, @DefaultValue("1h") Duration sessionExpiry,
		boolean manualAcks) {

}
