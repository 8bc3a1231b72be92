package io.statestore.client.observability;

import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the Micrometer observations of calls and listeners.
 *
 * @param registry registry of the observations. Without a handler it observes nothing,
 * and calls cost nothing more
 * @param calls convention for calls, or {@code null} for the default
 * @param listeners convention for listeners, or {@code null} for the default
 */
public record StateStoreObservability(ObservationRegistry registry, @Nullable StateStoreCallObservationConvention calls,
		@Nullable StateStoreListenerObservationConvention listeners) {

	/** Settings without observations. */
	public static final StateStoreObservability NONE = of(ObservationRegistry.NOOP);

	/**
	 * Returns settings with the default conventions.
	 * @param registry registry of the observations
	 * @return the settings
	 */
	public static StateStoreObservability of(ObservationRegistry registry) {
		return new StateStoreObservability(registry, null, null);
	}

}
