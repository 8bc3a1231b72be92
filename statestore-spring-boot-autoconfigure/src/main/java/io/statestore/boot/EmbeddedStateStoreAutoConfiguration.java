package io.statestore.boot;

import java.net.BindException;
import java.util.List;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.log.LogException;
import io.statestore.broker.memory.InvalidOptionException;
import io.statestore.broker.server.ChangeJournal;
import io.statestore.broker.storage.RecoveryListener;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.client.StateStoreTemplate;
import io.statestore.time.TimeSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/**
 * Auto-configuration of a broker embedded in the application. Takes precedence over
 * {@code statestore.host}, so that a test needs a single property to avoid the broker of
 * production.
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
	@EnableConfigurationProperties(EmbeddedStorageProperties.class)
	static class BrokerConfiguration {

		private static final String PREFIX = "statestore.embedded.";

		@Bean(destroyMethod = "close")
		@ConditionalOnMissingBean
		StateStoreBroker stateStoreBroker(StateStoreProperties properties, EmbeddedStorageProperties storageProperties,
				Environment environment, ObjectProvider<ChangeJournal> journal,
				ObjectProvider<RecoveryListener> recoveryListeners, ObjectProvider<TimeSource> time) {
			if (environment.containsProperty("statestore.host")) {
				logger.info("statestore.host={} is ignored: statestore.embedded.enabled=true starts an embedded broker",
						properties.getHost());
			}
			return start(properties.getEmbedded(), storageProperties, journal,
					recoveryListeners.orderedStream().toList(), time.getIfUnique(() -> TimeSource.SYSTEM));
		}

		private static StateStoreBroker start(StateStoreProperties.Embedded embedded,
				EmbeddedStorageProperties storageProperties, ObjectProvider<ChangeJournal> journal,
				List<RecoveryListener> recoveryListeners, TimeSource time) {
			try {
				StorageOptions storage = EmbeddedStorage.of(storageProperties);
				StateStoreBrokerBuilder builder = builder(embedded).time(time);
				PropertyMapper.get().from(storage).to(builder::storage);
				journal.ifAvailable(builder::journal);
				builder.recoveryListener(
						(progress) -> recoveryListeners.forEach((listener) -> listener.recovering(progress)));
				StateStoreBroker broker = builder.start();
				logger.info("Embedded state store at mqtt://{}:{}, {}", broker.host(), broker.port(),
						(storage != null) ? "data in " + storage.directory() : "data in memory only");
				return broker;
			}
			catch (InvalidOptionException ex) {
				throw OptionProperties.invalid(PREFIX, ex.option(), ex.value(),
						ex.reason((option) -> OptionProperties.name(PREFIX, option)));
			}
			catch (LogException ex) {
				throw EmbeddedStorage.invalid(storageProperties, ex);
			}
			catch (IllegalStateException ex) {
				if (NestedExceptionUtils.getRootCause(ex) instanceof BindException unavailable) {
					throw portUnavailable(embedded, unavailable, ex);
				}
				throw ex;
			}
		}

		private static StateStoreBrokerBuilder builder(StateStoreProperties.Embedded embedded) {
			StateStoreBrokerBuilder builder = StateStoreBroker.builder()
				.host(embedded.getHost())
				.port(embedded.getPort())
				.wireForm(embedded.getWireForm());
			PropertyMapper map = PropertyMapper.get();
			map.from(embedded::getMaxKeys).to(builder::maxKeys);
			map.from(embedded::getMaxSize).as(DataSize::toBytes).to(builder::maxBytes);
			map.from(embedded::getReplyMemory).as(DataSize::toBytes).to(builder::replyMemory);
			map.from(embedded::getClientMemory).as(DataSize::toBytes).to(builder::clientMemory);
			map.from(embedded::getMemoryPerClient).as(DataSize::toBytes).to(builder::memoryPerClient);
			map.from(embedded::getMaxPacketSize).as(DataSize::toBytes).to(builder::maxPacketSize);
			map.from(embedded::getMaxConnectSize).as(DataSize::toBytes).to(builder::maxConnectSize);
			map.from(embedded::getMaxPropertiesSize).as(DataSize::toBytes).to(builder::maxPropertiesSize);
			return builder;
		}

		private static InvalidConfigurationPropertyValueException portUnavailable(
				StateStoreProperties.Embedded embedded, BindException unavailable, Exception cause) {
			InvalidConfigurationPropertyValueException invalid = new InvalidConfigurationPropertyValueException(
					PREFIX + "port", embedded.getPort(),
					"The embedded broker cannot listen on " + embedded.getHost() + ':' + embedded.getPort() + ": "
							+ unavailable.getMessage()
							+ ". Stop the process that uses the port, or set another port, or 0 for a free port");
			// The constructor has set the cause, to null.
			invalid.addSuppressed(cause);
			return invalid;
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
