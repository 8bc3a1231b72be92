package io.statestore.client.internal;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs actions in observation scopes, even if observation handlers fail. */
public final class ObservationScopes {

	private static final Logger logger = LoggerFactory.getLogger(ObservationScopes.class);

	private ObservationScopes() {
	}

	/**
	 * Runs an action in an observation's scope. The action runs even if a handler fails.
	 * Afterward, the thread's scope is the same as before.
	 * @param registry the observation's registry
	 * @param observation the observation whose scope is opened
	 * @param action runs once, on the calling thread
	 */
	public static void run(ObservationRegistry registry, Observation observation, Runnable action) {
		Observation.Scope outer = registry.getCurrentObservationScope();
		Observation.Scope scope = open(registry, observation, outer);
		try {
			action.run();
		}
		finally {
			close(registry, scope, outer);
		}
	}

	private static Observation.@Nullable Scope open(ObservationRegistry registry, Observation observation,
			Observation.@Nullable Scope outer) {
		try {
			return observation.openScope();
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Failed to open the scope of an observation; continuing without it. Check the observation "
					+ "handlers", ex);
			// The scope is already current, and some handlers may have opened theirs.
			Observation.Scope opened = registry.getCurrentObservationScope();
			close(registry, (opened != outer) ? opened : null, outer);
			return null;
		}
	}

	private static void close(ObservationRegistry registry, Observation.@Nullable Scope scope,
			Observation.@Nullable Scope outer) {
		try {
			if (scope != null) {
				scope.close();
			}
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Failed to close the scope of an observation; continuing. Check the observation handlers", ex);
		}
		if (registry.getCurrentObservationScope() != outer) {
			registry.setCurrentObservationScope(outer);
		}
	}

}
