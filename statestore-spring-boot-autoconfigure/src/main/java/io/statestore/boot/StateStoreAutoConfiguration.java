package io.statestore.boot;

import io.micrometer.observation.ObservationRegistry;
import io.statestore.client.CommandInvoker;
import io.statestore.client.KeyObserver;
import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.ValueConverter;
import io.statestore.client.annotation.EnableStateStoreListeners;
import io.statestore.client.annotation.StateStoreListenerRegistry;
import io.statestore.client.json.JacksonValueConverter;
import io.statestore.client.mqtt.MqttCommandInvoker;
import io.statestore.client.mqtt.MqttNotificationSource;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.observation.KeyObservations;
import io.statestore.client.observation.ObservationOptions;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Auto-configuration of the state store client: one connection, the invoker on it, and
 * the template. Each backs off for a bean of the application's own.
 */
@AutoConfiguration(afterName = { "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
		"org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration" })
@ConditionalOnClass(StateStoreTemplate.class)
@EnableConfigurationProperties(StateStoreProperties.class)
public final class StateStoreAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	StateStoreConnectionDetails stateStoreConnectionDetails(StateStoreProperties properties,
			ObjectProvider<SslBundles> sslBundles) {
		return new PropertiesConnectionDetails(properties, sslBundles);
	}

	@Bean
	@ConditionalOnMissingBean
	StateStoreConnection stateStoreConnection(StateStoreProperties properties, StateStoreConnectionDetails details) {
		StateStoreConnection connection = new StateStoreConnection(
				new ConnectionOptionsFactory(properties, details).create());
		details.addSslBundleUpdateHandler(() -> connection.reconnect("the SSL bundle was updated"));
		return connection;
	}

	@Bean
	@ConditionalOnMissingBean(CommandInvoker.class)
	MqttCommandInvoker stateStoreCommandInvoker(StateStoreConnection connection) {
		return new MqttCommandInvoker(connection);
	}

	@Bean
	@ConditionalOnMissingBean(KeyObserver.class)
	KeyObservations stateStoreKeyObservations(StateStoreProperties properties, StateStoreConnection connection,
			CommandInvoker invoker, ObjectProvider<ObservationRegistry> observationRegistry) {
		return new KeyObservations(new MqttNotificationSource(connection), invoker, options(properties.getListener()),
				null, observationRegistry.getIfAvailable(() -> ObservationRegistry.NOOP));
	}

	private static ObservationOptions options(StateStoreProperties.Listener listener) {
		try {
			return ObservationOptions.DEFAULT.withQueueCapacity(listener.getQueueCapacity())
				.withRenewal(listener.getRenewal());
		}
		catch (IllegalArgumentException ex) {
			throw OptionFailures.namingTheProperty("statestore.listener.", ex);
		}
	}

	@Bean
	@ConditionalOnMissingBean(StateStoreOperations.class)
	StateStoreTemplate stateStoreTemplate(CommandInvoker invoker, ObjectProvider<ValueConverter> converter,
			KeyObserver observer) {
		return new StateStoreTemplate(invoker, converter.getIfUnique(), observer);
	}

	@Bean
	@ConditionalOnMissingBean
	StateStoreAsyncOperations stateStoreAsyncOperations(StateStoreOperations operations) {
		return operations.async();
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(StateStoreListenerRegistry.class)
	@EnableStateStoreListeners
	static class ListenerConfiguration {

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(JsonMapper.class)
	static class JacksonConfiguration {

		@Bean
		@ConditionalOnSingleCandidate(JsonMapper.class)
		@ConditionalOnMissingBean(ValueConverter.class)
		JacksonValueConverter stateStoreValueConverter(JsonMapper jsonMapper) {
			return new JacksonValueConverter(jsonMapper);
		}

	}

}
