package io.statestore.boot;

import java.util.ArrayList;
import java.util.List;

import io.statestore.boot.internal.PropertyChecks;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.security.Authenticator;
import io.statestore.broker.security.Authorizer;
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
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Auto-configuration of a broker embedded in the application. Takes precedence over
 * {@code statestore.host}, so that a test needs only one property to avoid the production
 * broker.
 */
@AutoConfiguration(before = StateStoreAutoConfiguration.class,
		afterName = "org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration")
@ConditionalOnClass(StateStoreTemplate.class)
@ConditionalOnBooleanProperty("statestore.embedded.enabled")
@EnableConfigurationProperties(StateStoreProperties.class)
public final class EmbeddedStateStoreAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(StateStoreBroker.class)
	@ConditionalOnMissingBean(StateStoreConnectionDetails.class)
	@EnableConfigurationProperties(EmbeddedProperties.class)
	static class BrokerConfiguration {

		@Bean
		EmbeddedLogin embeddedStateStoreLogin(EmbeddedProperties embedded,
				ObjectProvider<Authenticator> authenticators) {
			return new EmbeddedLogin(embedded, authenticators.orderedStream().toList());
		}

		@Bean
		EmbeddedBrokerFactory embeddedStateStoreBrokerFactory(StateStoreProperties properties,
				EmbeddedProperties embedded, EmbeddedLogin login, ObjectProvider<Authorizer> authorizers,
				ObjectProvider<TimeSource> time, ObjectProvider<StateStoreBrokerBuilderCustomizer> customizers,
				ObjectProvider<SslBundles> sslBundles) {
			List<StateStoreBrokerBuilderCustomizer> all = new ArrayList<>();
			all.add((builder) -> builder.time(time.getIfUnique(() -> TimeSource.SYSTEM)));
			all.add((builder) -> authorizers.ifAvailable((authorizer) -> {
				PropertyChecks.require(embedded.rulesFile() == null, "statestore.embedded.rules-file",
						embedded.rulesFile(),
						"There is also a bean of type Authorizer, and only one of them can decide. "
								+ "Remove the property or the bean");
				builder.authorizer(authorizer);
			}));
			customizers.orderedStream().forEach(all::add);
			return new EmbeddedBrokerFactory(properties, embedded, login, all, sslBundles);
		}

		@Bean(destroyMethod = "close")
		@ConditionalOnMissingBean
		StateStoreBroker stateStoreBroker(EmbeddedBrokerFactory factory) {
			return factory.start();
		}

		@Bean
		StateStoreConnectionDetails embeddedStateStoreConnectionDetails(StateStoreBroker broker, EmbeddedLogin login,
				EmbeddedBrokerFactory factory) {
			return new EmbeddedConnectionDetails(broker.host(), broker.port(), login, factory.ssl());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingClass("io.statestore.broker.StateStoreBroker")
	static class MissingBrokerConfiguration {

		MissingBrokerConfiguration() {
			throw new InvalidConfigurationPropertyValueException("statestore.embedded.enabled", true,
					"It needs the broker, io.statestore:statestore-broker, which is not on the class path. Add this "
							+ "dependency, or remove the property and set statestore.host to a broker that serves the "
							+ "state store protocol");
		}

	}

	record EmbeddedConnectionDetails(String getHost, int getPort, EmbeddedLogin login,
			@Nullable EmbeddedSsl ssl) implements StateStoreConnectionDetails {

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
