package io.statestore.boot;

import io.statestore.boot.internal.OptionProperties;
import io.statestore.boot.internal.PropertyChecks;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.integration.StateStoreClientManager;
import org.eclipse.paho.mqttv5.client.IMqttAsyncClient;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;
import org.springframework.integration.mqtt.core.ClientManager;

/**
 * Auto-configuration for a client manager for Spring Integration's MQTT adapters. The
 * manager opens a second connection to the state store's broker as soon as an adapter
 * uses it.
 */
@AutoConfiguration(after = StateStoreAutoConfiguration.class)
@ConditionalOnClass({ StateStoreClientManager.class, ClientManager.class, IMqttAsyncClient.class })
@ConditionalOnBean(name = StateStoreAutoConfiguration.CONNECTION)
@EnableConfigurationProperties(StateStoreIntegrationProperties.class)
public final class StateStoreIntegrationAutoConfiguration {

	private static final String PREFIX = "statestore.integration.";

	private static final String CLIENT_MANAGER = "stateStoreClientManager";

	/** Fallback: any other client manager in the application takes precedence. */
	@Bean(CLIENT_MANAGER)
	@ConditionalOnMissingBean(name = CLIENT_MANAGER)
	@Fallback
	StateStoreClientManager stateStoreClientManager(
			@Qualifier(StateStoreAutoConfiguration.CONNECTION) StateStoreConnection connection,
			StateStoreIntegrationProperties properties, StateStoreConnectionDetails details) {
		StateStoreClientManager clientManager = OptionProperties.create(PREFIX,
				() -> new StateStoreClientManager(options(connection.options(), properties),
						properties.sessionExpiry()));
		clientManager.setManualAcks(properties.manualAcks());
		details.addSslBundleUpdateHandler(() -> clientManager.reconnect("the SSL bundle was updated"));
		return clientManager;
	}

	private static ConnectionOptions options(ConnectionOptions options, StateStoreIntegrationProperties properties) {
		String clientId = properties.clientId();
		PropertyChecks.require(!options.clientId().equals(clientId), PREFIX + "client-id", clientId,
				"It must differ from the client id of the state store client, because the broker allows only one "
						+ "connection per client id.");
		return options.withClientId((clientId != null) ? clientId : options.clientId() + "-integration");
	}

}
