package io.statestore.boot;

import java.net.BindException;
import java.nio.channels.UnresolvedAddressException;
import java.util.List;
import java.util.Map;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.log.LogException;
import io.statestore.broker.memory.InvalidOptionException;
import io.statestore.broker.security.Authorizer;
import io.statestore.broker.server.ChangeJournal;
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

	private final EmbeddedStorageProperties storageProperties;

	private final @Nullable EmbeddedCluster cluster;

	private final EmbeddedLogin login;

	private final Environment environment;

	private final ObjectProvider<ChangeJournal> journal;

	private final ObjectProvider<RecoveryListener> recoveryListeners;

	private final ObjectProvider<Authorizer> authorizer;

	private final TimeSource time;

	/** {@code null} for plain TCP. */
	private final @Nullable EmbeddedSsl ssl;

	EmbeddedBrokerFactory(StateStoreProperties properties, EmbeddedStorageProperties storageProperties,
			@Nullable EmbeddedCluster cluster, EmbeddedLogin login, Environment environment,
			ObjectProvider<ChangeJournal> journal, ObjectProvider<RecoveryListener> recoveryListeners,
			ObjectProvider<Authorizer> authorizer, TimeSource time, @Nullable EmbeddedSsl ssl) {
		this.properties = properties;
		this.storageProperties = storageProperties;
		this.cluster = cluster;
		this.login = login;
		this.environment = environment;
		this.journal = journal;
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
		StateStoreProperties.Embedded embedded = this.properties.getEmbedded();
		try {
			StorageOptions storage = (this.cluster == null) ? EmbeddedStorage.of(this.storageProperties) : null;
			StateStoreBrokerBuilder builder = builder(embedded).time(this.time);
			this.login.apply(builder, this.ssl != null && this.ssl.requestsCertificates());
			this.journal.ifAvailable(builder::journal);
			if (this.ssl != null) {
				builder.tls(this.ssl.serverTls());
			}
			if (this.cluster != null) {
				this.cluster.apply(builder);
			}
			authorize(builder, embedded);
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
			broker.stalePort().ifPresent((port) -> logger.info("Stale reads: port {}", port));
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
						embedded.getHost(), "It must be a name or an address of this machine, or 0.0.0.0 for all"), ex);
			}
			if (cause instanceof BindException unavailable) {
				throw portUnavailable(embedded, unavailable, ex);
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

	private void authorize(StateStoreBrokerBuilder builder, StateStoreProperties.Embedded embedded) {
		Authorizer authorizer = this.authorizer.getIfAvailable();
		String rules = embedded.getRulesFile();
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

	private static StateStoreBrokerBuilder builder(StateStoreProperties.Embedded embedded) {
		StateStoreBrokerBuilder builder = StateStoreBroker.builder()
			.host(embedded.getHost())
			.port(embedded.getPort())
			.wireForm(embedded.getWireForm())
			.administration(embedded.getAdministration());
		PropertyMapper map = PropertyMapper.get();
		map.from(embedded::getMaxConnectionsPerAddress).to(builder::maxConnectionsPerAddress);
		map.from(embedded::getMaxSessionExpiry).to(builder::maxSessionExpiry);
		map.from(embedded::getMaxKeys).to(builder::maxKeys);
		map.from(embedded::getMaxSize).as(DataSize::toBytes).to(builder::maxBytes);
		map.from(embedded::getReplyMemory).as(DataSize::toBytes).to(builder::replyMemory);
		map.from(embedded::getClientMemory).as(DataSize::toBytes).to(builder::clientMemory);
		map.from(embedded::getMemoryPerClient).as(DataSize::toBytes).to(builder::memoryPerClient);
		map.from(embedded::getMaxKeysPerPrincipal).to(builder::maxKeysPerPrincipal);
		map.from(embedded::getMaxConnectionsPerPrincipal).to(builder::maxConnectionsPerPrincipal);
		map.from(embedded::getMaxRequestsPerPrincipal).to(builder::maxRequestsPerPrincipal);
		map.from(embedded::getMaxRatePerPrincipal).as(DataSize::toBytes).to(builder::maxRatePerPrincipal);
		map.from(embedded::getMaxPacketSize).as(DataSize::toBytes).to(builder::maxPacketSize);
		map.from(embedded::getMaxConnectSize).as(DataSize::toBytes).to(builder::maxConnectSize);
		map.from(embedded::getMaxPropertiesSize).as(DataSize::toBytes).to(builder::maxPropertiesSize);
		return builder;
	}

	private InvalidConfigurationPropertyValueException portUnavailable(StateStoreProperties.Embedded embedded,
			BindException unavailable, IllegalStateException cause) {
		Map.Entry<String, Object> port = Map.entry(PREFIX + "port", embedded.getPort());
		port = (this.cluster != null) ? this.cluster.unavailablePort(port, cause) : port;
		return OptionProperties.withCause(
				new InvalidConfigurationPropertyValueException(port.getKey(), port.getValue(),
						"The embedded broker cannot listen on " + embedded.getHost() + ':' + port.getValue() + ": "
								+ unavailable.getMessage()
								+ ". Stop the process that uses the port, or set another port, or 0 for a free port"),
				cause);
	}

}
