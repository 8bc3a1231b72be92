package io.statestore.boot;

import io.statestore.boot.internal.OptionProperties;
import io.statestore.client.ClientResources;
import io.statestore.client.CommandInvoker;
import io.statestore.client.KeyWatcher;
import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.ValueConverter;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.annotation.StateStoreListenerEndpoint;
import io.statestore.client.annotation.StateStoreListenerRegistry;
import io.statestore.client.history.StateHistory;
import io.statestore.client.json.JacksonValueConverter;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.observability.StateStoreObservability;
import io.statestore.client.watch.KeyWatches;
import io.statestore.client.watch.WatchOptions;
import io.statestore.listener.ListenerBeanPostProcessor;
import io.statestore.time.TimeSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for the state store client: a connection, the template, the command
 * invoker and key watcher behind the template, and the history.
 * <p>
 * These beans refer to each other by name. Each backs off only for a bean with the same
 * name: beans of the same type with other names, such as those for a second broker, do
 * not replace it.
 */
@AutoConfiguration(afterName = { "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
		"org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration" })
@ConditionalOnClass(StateStoreTemplate.class)
@EnableConfigurationProperties(StateStoreProperties.class)
public final class StateStoreAutoConfiguration {

	static final String RESOURCES = "stateStoreClientResources";

	static final String CONNECTION = "stateStoreConnection";

	/**
	 * Bean name of the invoker through which all templates and locks send commands.
	 * Applications may define this bean.
	 */
	static final String INVOKER = "stateStoreCommandInvoker";

	static final String OBSERVER = "stateStoreKeyWatches";

	static final String TEMPLATE = "stateStoreTemplate";

	static final String ASYNC = "stateStoreAsyncOperations";

	static final String HISTORY = "stateHistory";

	@Bean
	@ConditionalOnMissingBean
	StateStoreConnectionDetails stateStoreConnectionDetails(StateStoreProperties properties,
			ObjectProvider<SslBundles> sslBundles) {
		return new PropertiesConnectionDetails(properties, sslBundles);
	}

	/**
	 * Shared by the connection, the watches, and the locks. As usual in Spring Boot,
	 * {@code spring.threads.virtual.enabled} decides whether to use virtual threads.
	 * Tests may replace the time source.
	 */
	@Bean(RESOURCES)
	@ConditionalOnMissingBean(name = RESOURCES)
	ClientResources stateStoreClientResources(Environment environment, ObjectProvider<TimeSource> time) {
		return new ClientResources(time.getIfUnique(() -> TimeSource.SYSTEM), Threading.VIRTUAL.isActive(environment));
	}

	@Bean(CONNECTION)
	@ConditionalOnMissingBean(name = CONNECTION)
	StateStoreConnection stateStoreConnection(StateStoreProperties properties, StateStoreConnectionDetails details,
			ObjectProvider<ConnectionOptionsBuilderCustomizer> customizers,
			@Qualifier(RESOURCES) ClientResources resources) {
		StateStoreConnection connection = new StateStoreConnection(
				new ConnectionOptionsFactory(properties, details).create(customizers.orderedStream().toList()),
				resources);
		details.addSslBundleUpdateHandler(() -> connection.reconnect("the SSL bundle was updated"));
		return connection;
	}

	@Bean(OBSERVER)
	@ConditionalOnMissingBean(name = OBSERVER)
	KeyWatches stateStoreKeyWatches(StateStoreProperties properties,
			@Qualifier(CONNECTION) StateStoreConnection connection,
			ObjectProvider<StateStoreObservability> observability, @Qualifier(RESOURCES) ClientResources resources) {
		return new KeyWatches(connection, options(properties.listener()), null,
				observability.getIfAvailable(() -> StateStoreObservability.NONE), resources);
	}

	private static WatchOptions options(StateStoreProperties.Listener listener) {
		return OptionProperties.create("statestore.listener.",
				() -> WatchOptions.DEFAULT.withQueueCapacity(listener.queueCapacity())
					.withQueueSize(listener.queueSize())
					.withRenewal(listener.renewal()));
	}

	@Bean(TEMPLATE)
	@ConditionalOnMissingBean(name = TEMPLATE)
	StateStoreTemplate stateStoreTemplate(@Qualifier(CONNECTION) ObjectProvider<StateStoreConnection> connection,
			@Qualifier(INVOKER) ObjectProvider<CommandInvoker> invoker, ObjectProvider<ValueConverter> converter,
			@Qualifier(OBSERVER) KeyWatcher watcher, ObjectProvider<StateStoreObservability> observability,
			StateStoreProperties properties) {
		StateStoreTemplate template = observability.getIfAvailable(() -> StateStoreObservability.NONE)
			.observe(new StateStoreTemplate(invoker.getIfAvailable(connection::getObject), converter.getIfUnique(),
					watcher));
		return OptionProperties.create("statestore.",
				() -> template.withKeyPrefix(properties.keyPrefix()).withDefaultExpiry(properties.defaultExpiry()));
	}

	@Bean(ASYNC)
	@ConditionalOnMissingBean(name = ASYNC)
	StateStoreAsyncOperations stateStoreAsyncOperations(@Qualifier(TEMPLATE) StateStoreOperations operations) {
		return operations.async();
	}

	/** Created on first use, because it subscribes to a separate topic. */
	@Bean(HISTORY)
	@Lazy
	@ConditionalOnMissingBean(name = HISTORY)
	StateHistory stateHistory(@Qualifier(CONNECTION) StateStoreConnection connection, StateStoreProperties properties) {
		return new StateHistory(connection, properties.requestTimeout());
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ListenerBeanPostProcessor.class)
	static class ListenerConfiguration {

		@Bean
		@ConditionalOnMissingBean(name = "stateStoreListenerPostProcessor")
		static ListenerBeanPostProcessor<StateStoreListener, StateStoreListenerEndpoint> stateStoreListenerPostProcessor(
				ObjectProvider<StateStoreListenerRegistry> registry, ConfigurableBeanFactory beanFactory) {
			return new ListenerBeanPostProcessor<>(StateStoreListener.class, registry::getObject, beanFactory);
		}

		@Bean
		@ConditionalOnMissingBean
		StateStoreListenerRegistry stateStoreListenerRegistry(
				@Qualifier(TEMPLATE) ObjectProvider<StateStoreOperations> operations, StateStoreProperties properties) {
			return new StateStoreListenerRegistry(operations::getObject, properties.startTimeout());
		}

		/**
		 * Beans with listener methods are created at startup even with lazy
		 * initialization.
		 */
		@Bean
		static LazyInitializationExcludeFilter stateStoreListenerLazyInitializationExcludeFilter() {
			return (name, definition, type) -> ListenerBeanPostProcessor.hasListeners(type, StateStoreListener.class);
		}

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
