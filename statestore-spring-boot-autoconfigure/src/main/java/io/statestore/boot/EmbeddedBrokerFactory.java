package io.statestore.boot;

import java.net.BindException;
import java.nio.channels.UnresolvedAddressException;
import java.util.List;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.log.LogException;
import io.statestore.broker.memory.InvalidOptionException;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.principal.PrincipalLimits;
import io.statestore.broker.security.Authorizer;
import io.statestore.broker.storage.RecoveryListener;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/** Factory of the embedded broker from properties. */
class EmbeddedBrokerFactory {

	private static final String PREFIX = "statestore.embedded.";

	private static final Logger logger = LoggerFactory.getLogger(EmbeddedBrokerFactory.class);

	private final StateStoreProperties properties;

	private final EmbeddedProperties embedded;

	private final EmbeddedLimitProperties limits;

	private final EmbeddedStorageProperties storageProperties;

	private final @Nullable EmbeddedCluster cluster;

	private final EmbeddedLogin login;

	private final Environment environment;

	private final ObjectProvider<RecoveryListener> recoveryListeners;

	private final ObjectProvider<Authorizer> authorizer;

	private final TimeSource time;

	/** {@code null} for plain TCP. */
	private final @Nullable EmbeddedSsl ssl;

	EmbeddedBrokerFactory(StateStoreProperties properties, EmbeddedProperties embedded, EmbeddedLimitProperties limits,
			EmbeddedStorageProperties storageProperties, @Nullable EmbeddedCluster cluster, EmbeddedLogin login,
			Environment environment, ObjectProvider<RecoveryListener> recoveryListeners,
			ObjectProvider<Authorizer> authorizer, TimeSource time, @Nullable EmbeddedSsl ssl) {
		this.properties = properties;
		this.embedded = embedded;
		this.limits = limits;
		this.storageProperties = storageProperties;
		this.cluster = cluster;
		this.login = login;
		this.environment = environment;
		this.recoveryListeners = recoveryListeners;
		this.authorizer = authorizer;
		this.time = time;
		this.ssl = ssl;
	}

	/** Returns TLS of the brokers, {@code null} for plain TCP. */
	@Nullable EmbeddedSsl ssl() {
		return this.ssl;
	}

	/**
	 * Starts a broker.
	 * @return the broker, which the caller closes
	 * @throws InvalidConfigurationPropertyValueException if a property is invalid, or if
	 * its port or its directory cannot be used
	 */
	StateStoreBroker start() {
		if (this.environment.containsProperty("statestore.host")) {
			logger.info("statestore.host={} is ignored: statestore.embedded.enabled=true starts an embedded broker",
					this.properties.getHost());
		}
		if (!this.properties.getHosts().isEmpty()) {
			logger.info("statestore.hosts={} is ignored: statestore.embedded.enabled=true starts an embedded broker",
					this.properties.getHosts());
		}
		try {
			StorageOptions storage = (this.cluster == null) ? EmbeddedStorage.of(this.storageProperties) : null;
			StateStoreBrokerBuilder builder = builder().time(this.time);
			this.login.apply(builder, this.ssl != null && this.ssl.requestsCertificates());
			if (this.ssl != null) {
				builder.tls(this.ssl.serverTls());
			}
			if (this.cluster != null) {
				this.cluster.apply(builder);
			}
			authorize(builder);
			// A broker in memory must not refer to beans, because DevTools may keep it.
			if (storage != null) {
				List<RecoveryListener> listeners = this.recoveryListeners.orderedStream().toList();
				builder.storage(storage)
					.recoveryListener((progress) -> listeners.forEach((listener) -> listener.recovering(progress)));
			}
			StateStoreBroker broker = builder.start();
			logger.info("Embedded state store at {}://{}:{}, {}", (this.ssl != null) ? "mqtts" : "mqtt", broker.host(),
					broker.port(), place(storage));
			logger.info("Clients that may connect: {}", broker.access());
			return broker;
		}
		catch (InvalidOptionException ex) {
			throw OptionProperties.invalid(PREFIX, ex.option(), ex.value(),
					ex.reason((option) -> OptionProperties.name(PREFIX, option)));
		}
		catch (LogException ex) {
			if (this.cluster != null) {
				throw this.cluster.invalidDirectory(ex);
			}
			throw EmbeddedStorage.invalid(this.storageProperties, ex);
		}
		catch (IllegalStateException ex) {
			if (this.cluster != null && EmbeddedCluster.isFailure(ex)) {
				throw this.cluster.invalid(ex);
			}
			Throwable cause = NestedExceptionUtils.getRootCause(ex);
			if (cause instanceof UnresolvedAddressException || (cause instanceof BindException
					&& String.valueOf(cause.getMessage()).contains("Cannot assign requested address"))) {
				throw OptionProperties.withCause(new InvalidConfigurationPropertyValueException(PREFIX + "host",
						this.embedded.host(), "It must be a name or an address of this machine, or 0.0.0.0 for all"),
						ex);
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

	private void authorize(StateStoreBrokerBuilder builder) {
		Authorizer authorizer = this.authorizer.getIfAvailable();
		String rules = this.embedded.rulesFile();
		if (authorizer != null && rules != null) {
			throw new InvalidConfigurationPropertyValueException(PREFIX + "rules-file", rules,
					"There is also a bean of type Authorizer, and only one of them can decide. Remove the property or the "
							+ "bean");
		}
		if (authorizer != null) {
			builder.authorizer(authorizer);
		}
		if (rules != null) {
			builder.rules(
					DirectoryProperties.file(PREFIX + "rules-file", rules, "Remove the property to permit everything"));
		}
	}

	private StateStoreBrokerBuilder builder() {
		StateStoreBrokerBuilder builder = StateStoreBroker.builder()
			.host(this.embedded.host())
			.port(this.embedded.port())
			.protocolDialect(this.embedded.protocolDialect())
			.administration(this.embedded.administration())
			.limits(this::limits)
			.principalLimits(this::principalLimits);
		PropertyMapper map = PropertyMapper.get();
		map.from(this.limits::maxConnectionsPerAddress).to(builder::maxConnectionsPerAddress);
		map.from(this.limits::maxSessionExpiry).to(builder::maxSessionExpiry);
		map.from(this.limits::maxPacketSize).as(DataSize::toBytes).to(builder::maxPacketSize);
		map.from(this.limits::maxConnectSize).as(DataSize::toBytes).to(builder::maxConnectSize);
		map.from(this.limits::maxPropertiesSize).as(DataSize::toBytes).to(builder::maxPropertiesSize);
		return builder;
	}

	private Limits limits(Limits limits) {
		PropertyMapper map = PropertyMapper.get();
		Limits result = map.from(this.limits::maxKeys).to(limits, Limits::withMaxKeys);
		result = map.from(this.limits::maxSize).as(DataSize::toBytes).to(result, Limits::withMaxBytes);
		result = map.from(this.limits::replyMemory).as(DataSize::toBytes).to(result, Limits::withReplyMemory);
		result = map.from(this.limits::clientMemory).as(DataSize::toBytes).to(result, Limits::withClientMemory);
		return map.from(this.limits::memoryPerClient).as(DataSize::toBytes).to(result, Limits::withMemoryPerClient);
	}

	private PrincipalLimits principalLimits(PrincipalLimits limits) {
		PropertyMapper map = PropertyMapper.get();
		PrincipalLimits result = map.from(this.limits::maxKeysPerUser).to(limits, PrincipalLimits::withMaxKeys);
		result = map.from(this.limits::maxConnectionsPerUser).to(result, PrincipalLimits::withMaxConnections);
		return map.from(this.limits::maxRequestsPerUser).to(result, PrincipalLimits::withMaxRequests);
	}

	private InvalidConfigurationPropertyValueException portUnavailable(BindException unavailable,
			IllegalStateException cause) {
		int port = this.embedded.port();
		return OptionProperties.withCause(
				new InvalidConfigurationPropertyValueException(PREFIX + "port", port,
						"The embedded broker cannot listen on " + this.embedded.host() + ':' + port + ": "
								+ unavailable.getMessage()
								+ ". Stop the process that uses the port, or set another port, or 0 for a free port"),
				cause);
	}

}
