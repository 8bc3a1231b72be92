package io.statestore.boot;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties for the connection used by Spring Integration's MQTT adapters.
 *
 * @param clientId MQTT client id of the adapters' connection. By default the client id of
 * the state store client with '-integration' appended.
 * @param sessionExpiry Time for which the broker keeps the session of the adapters, and
 * messages for them, without a connection. At least one second.
 * @param manualAcks Whether flows acknowledge the messages of inbound adapters
 * themselves.
 */
@ConfigurationProperties("statestore.integration")
record StateStoreIntegrationProperties(@Nullable String clientId, @DefaultValue("1h") Duration sessionExpiry,
		boolean manualAcks) {

}
