package io.statestore.boot;

import java.nio.file.Path;
import java.util.List;

import io.statestore.boot.internal.OptionProperties;
import io.statestore.boot.internal.PropertyChecks;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.StringUtils;

/** Connection details from {@link StateStoreProperties}. */
class PropertiesConnectionDetails implements StateStoreConnectionDetails {

	private static final int PORT = 1883;

	private static final int TLS_PORT = 8883;

	private final StateStoreProperties properties;

	private final ObjectProvider<SslBundles> sslBundles;

	PropertiesConnectionDetails(StateStoreProperties properties, ObjectProvider<SslBundles> sslBundles) {
		this.properties = properties;
		this.sslBundles = sslBundles;
		PropertyChecks.require(properties.password() == null || getPasswordFile() == null, "statestore.password-file",
				properties.passwordFile(), "The property statestore.password is set as well. Set only one of them");
		// Fails early if the bundle does not exist or is unusable.
		String bundle = bundleName();
		if (properties.ssl().isEnabled() && bundle != null) {
			OptionProperties.bundle(sslBundles.getObject(), "statestore.ssl.bundle", bundle);
		}
		if (!properties.hosts().isEmpty()) {
			requireHostsOnly(StringUtils.hasText(properties.host()), "statestore.host");
			requireHostsOnly(properties.port() != null, "statestore.port");
		}
		else if (properties.host() != null && properties.host().isBlank()) {
			throw new InvalidConfigurationPropertyValueException("statestore.host", properties.host(),
					"It must name the MQTT broker. For a broker in this application set statestore.embedded.enabled=true");
		}
	}

	private void requireHostsOnly(boolean set, String other) {
		PropertyChecks.require(!set, "statestore.hosts", String.join(",", this.properties.hosts()),
				"The property " + other + " is set as well. Set only one of them");
	}

	@Override
	public List<String> getHosts() {
		return this.properties.hosts();
	}

	@Override
	public String getHost() {
		String host = this.properties.host();
		return (host != null) ? host : "localhost";
	}

	@Override
	public int getPort() {
		Integer port = this.properties.port();
		if (port != null) {
			return port;
		}
		return this.properties.ssl().isEnabled() ? TLS_PORT : PORT;
	}

	@Override
	public @Nullable String getUsername() {
		return this.properties.username();
	}

	@Override
	public @Nullable String getPassword() {
		return this.properties.password();
	}

	@Override
	public @Nullable Path getPasswordFile() {
		return file("statestore.password-file", this.properties.passwordFile());
	}

	@Override
	public @Nullable Path getServiceAccountTokenFile() {
		return file("statestore.service-account-token-file", this.properties.serviceAccountTokenFile());
	}

	private static @Nullable Path file(String property, @Nullable String file) {
		return StringUtils.hasText(file) ? PropertyChecks.file(property, file, "Remove the property") : null;
	}

	@Override
	public @Nullable SslBundle getSslBundle() {
		if (!this.properties.ssl().isEnabled()) {
			return null;
		}
		String name = bundleName();
		return (name != null) ? this.sslBundles.getObject().getBundle(name) : SslBundle.systemDefault();
	}

	@Override
	public void addSslBundleUpdateHandler(Runnable handler) {
		String name = bundleName();
		if (this.properties.ssl().isEnabled() && name != null) {
			this.sslBundles.getObject().addBundleUpdateHandler(name, (bundle) -> handler.run());
		}
	}

	private @Nullable String bundleName() {
		String name = this.properties.ssl().bundle();
		return StringUtils.hasLength(name) ? name : null;
	}

}
