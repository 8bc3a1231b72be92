package io.statestore.boot;

import java.util.Map;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.security.Authenticator;
import io.statestore.broker.security.Authorizer;
import io.statestore.broker.storage.RecoveryListener;
import io.statestore.client.StateStoreTemplate;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.devtools.restart.ConditionalOnInitializedRestarter;
import org.springframework.boot.devtools.restart.Restarter;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of a broker embedded in the application. Takes precedence over
 * {@code statestore.host}, so that a test needs a single property to avoid the broker of
 * production.
 */
@AutoConfiguration(before = StateStoreAutoConfiguration.class,
		afterName = "org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration")
@ConditionalOnClass(StateStoreTemplate.class)
@ConditionalOnBooleanProperty("statestore.embedded.enabled")
@EnableConfigurationProperties(StateStoreProperties.class)
public final class EmbeddedStateStoreAutoConfiguration {

	/** Second name of the broker if restarts by Spring Boot DevTools keep it. */
	static final String KEPT_BROKER = "keptStateStoreBroker";

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(StateStoreBroker.class)
	@ConditionalOnMissingBean(StateStoreConnectionDetails.class)
	@EnableConfigurationProperties({ EmbeddedProperties.class, EmbeddedLimitProperties.class,
			EmbeddedStorageProperties.class, EmbeddedSslProperties.class, EmbeddedLoginProperties.class,
			EmbeddedClusterProperties.class })
	static class BrokerConfiguration {

		private static final String BROKER = "stateStoreBroker";

		@Bean
		EmbeddedLogin embeddedStateStoreLogin(EmbeddedLoginProperties properties,
				ObjectProvider<Authenticator> authenticators) {
			return new EmbeddedLogin(properties, authenticators.orderedStream().toList());
		}

		@Bean
		EmbeddedBrokerFactory embeddedStateStoreBrokerFactory(StateStoreProperties properties,
				EmbeddedProperties embedded, EmbeddedLimitProperties limits,
				EmbeddedStorageProperties storageProperties, EmbeddedClusterProperties clusterProperties,
				EmbeddedLogin login, Environment environment, ObjectProvider<RecoveryListener> recoveryListeners,
				ObjectProvider<Authorizer> authorizer, ObjectProvider<TimeSource> time, EmbeddedSslProperties ssl,
				ObjectProvider<SslBundles> sslBundles) {
			return new EmbeddedBrokerFactory(properties, embedded, limits, storageProperties,
					EmbeddedCluster.of(clusterProperties, storageProperties, sslBundles), login, environment,
					recoveryListeners, authorizer, time.getIfUnique(() -> TimeSource.SYSTEM),
					EmbeddedSsl.of(ssl, properties, sslBundles));
		}

		@Bean(name = BROKER, destroyMethod = "close")
		@ConditionalOnMissingBean
		StateStoreBroker stateStoreBroker(EmbeddedBrokerFactory factory) {
			return factory.start();
		}

		@Bean
		StateStoreConnectionDetails embeddedStateStoreConnectionDetails(StateStoreBroker broker, EmbeddedLogin login,
				EmbeddedBrokerFactory factory) {
			return new EmbeddedConnectionDetails(broker.host(), broker.port(), login, factory.ssl());
		}

		/** Takes precedence while Spring Boot DevTools restarts the application. */
		@Configuration(proxyBeanMethods = false)
		@ConditionalOnClass(Restarter.class)
		@ConditionalOnInitializedRestarter
		@ConditionalOnMissingBean(Authenticator.class)
		@Conditional(OnKeptBrokerCondition.class)
		static class KeptBrokerConfiguration {

			@Bean(name = { BROKER, KEPT_BROKER }, destroyMethod = "")
			@ConditionalOnMissingBean
			StateStoreBroker keptStateStoreBroker(EmbeddedBrokerFactory factory, Environment environment) {
				Map<String, String> settings = Binder.get(environment)
					.bind("statestore.embedded", Bindable.mapOf(String.class, String.class))
					.orElseGet(Map::of);
				return KeptBroker.getOrStart(settings, factory::start);
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingClass("io.statestore.broker.StateStoreBroker")
	static class MissingBrokerConfiguration {

		MissingBrokerConfiguration() {
			throw new MissingEmbeddedBrokerException();
		}

	}

	record EmbeddedConnectionDetails(String host, int port, EmbeddedLogin login,
			@Nullable EmbeddedSsl ssl) implements StateStoreConnectionDetails {

		@Override
		public String getHost() {
			return this.host;
		}

		@Override
		public int getPort() {
			return this.port;
		}

		@Override
		public @Nullable String getUsername() {
			return this.login.username();
		}

		@Override
		public @Nullable String getPassword() {
			return this.login.password();
		}

		@Override
		public @Nullable SslBundle getSslBundle() {
			return (this.ssl != null) ? this.ssl.clientBundle() : null;
		}

		@Override
		public void addSslBundleUpdateHandler(Runnable handler) {
			if (this.ssl != null) {
				this.ssl.addClientUpdateHandler(handler);
			}
		}

	}

}
