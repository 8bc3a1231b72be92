package io.statestore.boot;

import java.net.BindException;
import java.nio.channels.UnresolvedAddressException;
import java.util.List;
import java.util.Set;

import io.statestore.boot.internal.OptionProperties;
import io.statestore.boot.internal.PropertyChecks;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.log.LogException;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.InvalidOptionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.util.unit.DataSize;

/** Creates the embedded broker from properties. */
class EmbeddedBrokerFactory {

	private static final String PREFIX = "statestore.embedded.";

	/** Broker options that have a property. */
	private static final Set<String> PROPERTIES = Set.of("host", "port", "maxKeys", "maxSize", "rules", "cluster");

	private static final Logger logger = LoggerFactory.getLogger(EmbeddedBrokerFactory.class);

	private final StateStoreProperties properties;

	private final EmbeddedProperties embedded;

	private final @Nullable EmbeddedCluster cluster;

	private final EmbeddedLogin login;

	private final List<StateStoreBrokerBuilderCustomizer> customizers;

	/** TLS settings; {@code null} for plain TCP. */
	private final @Nullable EmbeddedSsl ssl;

	EmbeddedBrokerFactory(StateStoreProperties properties, EmbeddedProperties embedded, EmbeddedLogin login,
			List<StateStoreBrokerBuilderCustomizer> customizers, ObjectProvider<SslBundles> sslBundles) {
		this.properties = properties;
		this.embedded = embedded;
		this.login = login;
		this.customizers = customizers;
		this.cluster = EmbeddedCluster.of(embedded, sslBundles);
		this.ssl = EmbeddedSsl.of(embedded.ssl(), properties, sslBundles);
	}

	/** Returns the TLS settings; {@code null} for plain TCP. */
	@Nullable EmbeddedSsl ssl() {
		return this.ssl;
	}

	/**
	 * Starts a broker.
	 * @return the broker, which the caller closes
	 * @throws InvalidConfigurationPropertyValueException if a property is invalid, or the
	 * port or directory cannot be used
	 */
	StateStoreBroker start() {
		if (this.properties.host() != null) {
			logger.info("statestore.host={} is ignored: statestore.embedded.enabled=true starts an embedded broker",
					this.properties.host());
		}
		if (!this.properties.hosts().isEmpty()) {
			logger.info("statestore.hosts={} is ignored: statestore.embedded.enabled=true starts an embedded broker",
					this.properties.hosts());
		}
		try {
			StorageOptions storage = (this.cluster == null) ? EmbeddedStorage.of(this.embedded) : null;
			StateStoreBrokerBuilder builder = builder();
			if (storage != null) {
				builder.storage(storage);
			}
			this.customizers.forEach((customizer) -> customizer.customize(builder));
			StateStoreBroker broker = builder.start();
			logger.info("Embedded state store at {}://{}:{}, {}", (this.ssl != null) ? "mqtts" : "mqtt", broker.host(),
					broker.port(), place(storage));
			logger.info("Clients that may connect: {}", broker.access());
			return broker;
		}
		catch (InvalidOptionException ex) {
			if (!PROPERTIES.contains(ex.option())) {
				// The option has no property, so a customizer has set it.
				throw ex;
			}
			throw OptionProperties.invalid(PREFIX, ex, "");
		}
		catch (LogException ex) {
			if (this.cluster != null) {
				throw this.cluster.invalidDirectory(ex);
			}
			throw EmbeddedStorage.invalid(this.embedded, ex);
		}
		catch (IllegalStateException ex) {
			if (this.cluster != null && EmbeddedCluster.isFailure(ex)) {
				throw this.cluster.invalid(ex);
			}
			Throwable cause = NestedExceptionUtils.getRootCause(ex);
			if (cause instanceof UnresolvedAddressException || (cause instanceof BindException
					&& String.valueOf(cause.getMessage()).contains("Cannot assign requested address"))) {
				throw PropertyChecks.invalid(PREFIX + "host", this.embedded.host(),
						"It must be a name or an address of this machine, or 0.0.0.0 for all", ex);
			}
			if (cause instanceof BindException unavailable) {
				throw portUnavailable(unavailable, ex);
			}
			throw ex;
		}
	}

	private String place(@Nullable StorageOptions storage) {
		if (this.cluster != null) {
			return this.cluster.toString();
		}
		return (storage != null) ? "data in " + storage.directory() : "data in memory only";
	}

	private StateStoreBrokerBuilder builder() {
		StateStoreBrokerBuilder builder = StateStoreBroker.builder()
			.host(this.embedded.host())
			.port(this.embedded.port())
			.limits(this::limits);
		this.login.apply(builder, this.ssl != null && this.ssl.requestsCertificates());
		if (this.ssl != null) {
			builder.tls(this.ssl.serverTls());
		}
		if (this.cluster != null) {
			this.cluster.apply(builder);
		}
		String rules = this.embedded.rulesFile();
		if (rules != null) {
			builder
				.rules(PropertyChecks.file(PREFIX + "rules-file", rules, "Remove the property to permit everything"));
		}
		return builder;
	}

	private Limits limits(Limits limits) {
		PropertyMapper map = PropertyMapper.get();
		Limits result = map.from(this.embedded::maxKeys).to(limits, Limits::withMaxKeys);
		return map.from(this.embedded::maxSize).as(DataSize::toBytes).to(result, Limits::withMaxSize);
	}

	private InvalidConfigurationPropertyValueException portUnavailable(BindException unavailable,
			IllegalStateException cause) {
		int port = this.embedded.port();
		return PropertyChecks.invalid(PREFIX + "port", port,
				"The embedded broker cannot listen on " + this.embedded.host() + ':' + port + ": "
						+ unavailable.getMessage()
						+ ". Stop the process that uses the port, or set another port, or 0 for a free port",
				cause);
	}

}
