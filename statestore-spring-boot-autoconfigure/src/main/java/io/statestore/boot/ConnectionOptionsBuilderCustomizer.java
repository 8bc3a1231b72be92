package io.statestore.boot;

import io.statestore.client.mqtt.ConnectionOptions;

/**
 * Callback that changes the options of the auto-configured connection. Beans of this type
 * are called in order, after the {@code statestore.*} properties and the connection
 * details have been applied.
 */
@FunctionalInterface
public interface ConnectionOptionsBuilderCustomizer {

	/**
	 * Customizes the options.
	 * @param builder builder with the options configured so far
	 */
	void customize(ConnectionOptions.Builder builder);

}
