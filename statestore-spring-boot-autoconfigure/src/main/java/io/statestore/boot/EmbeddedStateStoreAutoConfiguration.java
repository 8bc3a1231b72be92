package io.statestore.boot;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.server.ChangeJournal;
import io.statestore.client.StateStoreTemplate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of the broker inside the application. Whoever asks for it gets it,
 * whatever {@code statestore.host} says, so that a test needs one property to leave the
 * broker of production alone.
 */
@AutoConfiguration(before = StateStoreAutoConfiguration.class)
@ConditionalOnClass(StateStoreTemplate.class)
@ConditionalOnBooleanProperty("statestore.embedded.enabled")
@EnableConfigurationProperties(StateStoreProperties.class)
public final class EmbeddedStateStoreAutoConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(EmbeddedStateStoreAutoConfiguration.class);

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(StateStoreBroker.class)
	@ConditionalOnMissingBean(StateStoreConnectionDetails.class)
	static class BrokerConfiguration {

		@Bean(destroyMethod = "close")
		@ConditionalOnMissingBean
		StateStoreBroker stateStoreBroker(StateStoreProperties properties, Environment environment,
				ObjectProvider<ChangeJournal> journal) {
			StateStoreProperties.Embedded embedded = properties.getEmbedded();
			if (environment.containsProperty("statestore.host")) {
				logger.info(
						"statestore.host={} is not used: statestore.embedded.enabled=true starts a broker of its own",
						properties.getHost());
			}
			StateStoreBrokerBuilder builder = StateStoreBroker.builder()
				.host(embedded.getHost())
				.port(embedded.getPort())
				.maxKeys(embedded.getMaxKeys())
				.maxBytes(embedded.getMaxSize().toBytes())
				.wireForm(embedded.getWireForm());
			journal.ifAvailable(builder::journal);
			StateStoreBroker broker = builder.start();
			logger.info("Embedded state store at mqtt://{}:{}", broker.host(), broker.port());
			return broker;
		}

		@Bean
		StateStoreConnectionDetails embeddedStateStoreConnectionDetails(StateStoreBroker broker) {
			return new EmbeddedConnectionDetails(broker.host(), broker.port());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingClass("io.statestore.broker.StateStoreBroker")
	static class MissingBrokerConfiguration {

		MissingBrokerConfiguration() {
			throw new MissingEmbeddedBrokerException();
		}

	}

	record EmbeddedConnectionDetails(String host, int port) implements StateStoreConnectionDetails {

		@Override
		public String getHost() {
			return this.host;
		}

		@Override
		public int getPort() {
			return this.port;
		}

	}

}
