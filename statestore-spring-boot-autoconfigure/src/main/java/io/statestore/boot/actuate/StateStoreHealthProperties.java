package io.statestore.boot.actuate;

import java.time.Duration;

import io.statestore.boot.internal.PropertyChecks;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Properties for the state store's health indicator.
 *
 * @param timeout How long a health check waits for the state store's reply.
 */
@ConfigurationProperties("management.health.statestore")
record StateStoreHealthProperties(@DefaultValue("2s") Duration timeout) {

	/**
	 * Returns the validated timeout.
	 * @throws InvalidConfigurationPropertyValueException if the timeout is not positive
	 */
	Duration requireTimeout() {
		PropertyChecks.require(!this.timeout.isNegative() && !this.timeout.isZero(),
				"management.health.statestore.timeout", this.timeout, "It must be positive, for example 2s");
		return this.timeout;
	}

}
