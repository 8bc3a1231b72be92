package io.statestore.boot;

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

	private final @Nullable SslBundle sslBundle;

	PropertiesConnectionDetails(StateStoreProperties properties, ObjectProvider<SslBundles> sslBundles) {
		this.properties = properties;
		this.sslBundle = sslBundle(properties.getSsl(), sslBundles);
		if (!StringUtils.hasText(properties.getHost())) {
			throw new InvalidConfigurationPropertyValueException("statestore.host", properties.getHost(),
					"It must name the MQTT broker. For a broker inside the application set statestore.embedded.enabled=true");
		}
	}

	private static @Nullable SslBundle sslBundle(StateStoreProperties.Ssl ssl, ObjectProvider<SslBundles> sslBundles) {
		if (!ssl.isEnabled()) {
			return null;
		}
		if (!StringUtils.hasLength(ssl.getBundle())) {
			return SslBundle.systemDefault();
		}
		return sslBundles.getObject().getBundle(ssl.getBundle());
	}

	@Override
	public String getHost() {
		return this.properties.getHost();
	}

	@Override
	public int getPort() {
		Integer port = this.properties.getPort();
		if (port != null) {
			return port;
		}
		return (this.sslBundle != null) ? TLS_PORT : PORT;
	}

	@Override
	public @Nullable String getUsername() {
		return this.properties.getUsername();
	}

	@Override
	public @Nullable String getPassword() {
		return this.properties.getPassword();
	}

	@Override
	public @Nullable SslBundle getSslBundle() {
		return this.sslBundle;
	}

}
