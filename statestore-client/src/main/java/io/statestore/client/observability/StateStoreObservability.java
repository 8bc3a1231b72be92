package io.statestore.client.observability;

import io.micrometer.observation.ObservationRegistry;
import io.statestore.client.CallObserver;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the Micrometer observations of calls and listeners.
 *
 * @param registry registry of the observations. Without a handler, nothing is observed,
 * and calls have no additional cost
 * @param calls convention for calls, or {@code null} for the default
 * @param listeners convention for listeners, or {@code null} for the default
 */
public record StateStoreObservability(ObservationRegistry registry, @Nullable StateStoreCallObservationConvention calls,
		@Nullable StateStoreListenerObservationConvention listeners) implements CallObserver {

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

	@Override
	public boolean isEnabled() {
		return !this.registry.isNoop();
	}

	@Override
	public ObservedCall start(Call call) {
		return MicrometerCall.start(call, this.registry, this.calls);
	}

}
