package io.statestore.boot;

import java.net.BindException;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.server.ChangeJournal;
import io.statestore.client.StateStoreTemplate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/**
 * Auto-configuration of the broker inside the application. Takes precedence over
 * {@code statestore.host}, so that a test needs one property to leave the broker of
 * production alone.
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

		private static final String VALID = "; valid is ";

		private static final Pattern INVALID = Pattern.compile("Option '(\\w+)' is '(.*?)'");

		private static final Pattern OPTION = Pattern.compile("'([a-z]+(?:\\p{Lu}[a-z]+)+)'");

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
			StateStoreBrokerBuilder builder = StateStoreBroker.builder().wireForm(embedded.getWireForm());
			apply("host", embedded.getHost(), builder::host);
			apply("port", embedded.getPort(), builder::port);
			apply("max-keys", embedded.getMaxKeys(), builder::maxKeys);
			applySize("max-size", embedded.getMaxSize(), builder::maxBytes);
			applySize("reply-memory", embedded.getReplyMemory(), builder::replyMemory);
			applySize("client-memory", embedded.getClientMemory(), builder::clientMemory);
			applySize("memory-per-client", embedded.getMemoryPerClient(), builder::memoryPerClient);
			applySize("max-packet-size", embedded.getMaxPacketSize(), builder::maxPacketSize);
			applySize("max-connect-size", embedded.getMaxConnectSize(), builder::maxConnectSize);
			applySize("max-properties-size", embedded.getMaxPropertiesSize(), builder::maxPropertiesSize);
			journal.ifAvailable(builder::journal);
			StateStoreBroker broker = start(builder, embedded);
			logger.info("Embedded state store at mqtt://{}:{}", broker.host(), broker.port());
			return broker;
		}

		private static <T> void apply(String property, @Nullable T value, Consumer<T> option) {
			if (value == null) {
				return;
			}
			try {
				option.accept(value);
			}
			catch (IllegalArgumentException ex) {
				throw invalid(property, value, reason(ex.getMessage()), ex);
			}
		}

		private static void applySize(String property, @Nullable DataSize value, LongFunction<?> option) {
			apply(property, value, (size) -> option.apply(size.toBytes()));
		}

		/** The broker names options, a user of Boot knows properties. */
		private static String reason(@Nullable String message) {
			String text = String.valueOf(message);
			int valid = text.indexOf(VALID);
			String reason = (valid >= 0) ? "It must be " + text.substring(valid + VALID.length()) : text;
			return OPTION.matcher(reason)
				.replaceAll((option) -> "'statestore.embedded." + property(option.group(1)) + "'");
		}

		private static String property(String option) {
			return option.equals("maxBytes") ? "max-size"
					: option.replaceAll("(\\p{Lu})", "-$1").toLowerCase(Locale.ROOT);
		}

		private static StateStoreBroker start(StateStoreBrokerBuilder builder, StateStoreProperties.Embedded embedded) {
			try {
				return builder.start();
			}
			catch (IllegalArgumentException ex) {
				Matcher invalid = INVALID.matcher(String.valueOf(ex.getMessage()));
				if (!invalid.lookingAt()) {
					throw ex;
				}
				throw invalid(property(invalid.group(1)), invalid.group(2), reason(ex.getMessage()), ex);
			}
			catch (IllegalStateException ex) {
				if (NestedExceptionUtils.getRootCause(ex) instanceof BindException unavailable) {
					throw invalid("port", embedded.getPort(),
							"The embedded broker cannot listen on " + embedded.getHost() + ':' + embedded.getPort()
									+ ": " + unavailable.getMessage()
									+ ". Stop the process that uses the port, or set another one, or 0 for a free port",
							ex);
				}
				throw ex;
			}
		}

		private static InvalidConfigurationPropertyValueException invalid(String property, @Nullable Object value,
				String reason, Exception cause) {
			InvalidConfigurationPropertyValueException invalid = new InvalidConfigurationPropertyValueException(
					"statestore.embedded." + property, value, reason);
			invalid.initCause(cause);
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
