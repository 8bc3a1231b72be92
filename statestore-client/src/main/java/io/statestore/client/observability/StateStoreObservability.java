package io.statestore.client.observability;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.statestore.client.CallObserver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

	private static final Logger logger = LoggerFactory.getLogger(StateStoreObservability.class);

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
		return MicrometerCall.start(call, this);
	}

	/**
	 * Runs an action in the scope of an observation. The action also runs if a handler
	 * fails, and the scope of the thread afterwards is the same as before.
	 * @param observation the observation
	 * @param action the action
	 */
	public void inScope(Observation observation, Runnable action) {
		Observation.Scope outer = this.registry.getCurrentObservationScope();
		Observation.Scope scope = open(observation, outer);
		try {
			action.run();
		}
		finally {
			close(scope, outer);
		}
	}

	private Observation.@Nullable Scope open(Observation observation, Observation.@Nullable Scope outer) {
		try {
			return observation.openScope();
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Failed to open the scope of an observation", ex);
			// The scope is current already, and handlers may have opened theirs.
			Observation.Scope opened = this.registry.getCurrentObservationScope();
			close((opened != outer) ? opened : null, outer);
			return null;
		}
	}

	private void close(Observation.@Nullable Scope scope, Observation.@Nullable Scope outer) {
		try {
			if (scope != null) {
				scope.close();
			}
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Failed to close the scope of an observation", ex);
		}
		if (this.registry.getCurrentObservationScope() != outer) {
			this.registry.setCurrentObservationScope(outer);
		}
	}

}
