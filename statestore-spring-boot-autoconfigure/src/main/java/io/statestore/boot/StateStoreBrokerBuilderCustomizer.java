package io.statestore.boot;

import io.statestore.broker.StateStoreBrokerBuilder;

/**
 * Callback that changes the settings of the embedded broker, for options without a
 * property. Beans of this type are called in order, after the
 * {@code statestore.embedded.*} properties have been applied.
 */
@FunctionalInterface
public interface StateStoreBrokerBuilderCustomizer {

	/**
	 * Customizes the broker.
	 * @param builder builder with the settings configured so far
	 */
	void customize(StateStoreBrokerBuilder builder);

}
