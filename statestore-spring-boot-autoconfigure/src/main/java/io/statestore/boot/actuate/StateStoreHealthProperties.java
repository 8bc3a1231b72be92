package io.statestore.boot.actuate;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Properties of the health indicator of the state store.
 *
 * @param timeout Maximum time that a health check waits for a reply of the state store.
 */
@ConfigurationProperties("management.health.statestore")
record StateStoreHealthProperties(@DefaultValue("2s") Duration timeout) {

	/**
	 * Returns the timeout.
	 * @throws InvalidConfigurationPropertyValueException if it is not positive
	 */
	Duration requireTimeout() {
		if (this.timeout.isNegative() || this.timeout.isZero()) {
			throw new InvalidConfigurationPropertyValueException("management.health.statestore.timeout", this.timeout,
					"It must be positive, for example 2s");
		}
		return this.timeout;
	}

}
