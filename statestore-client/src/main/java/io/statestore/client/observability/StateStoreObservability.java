package io.statestore.client.observability;

import io.micrometer.observation.ObservationRegistry;
import io.statestore.client.StateStoreTemplate;
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

	/**
	 * Returns a template whose calls are observed. An observation ends before the result
	 * of its call is available. Writes pass the trace context on to listeners.
	 * <p>
	 * Continuations of a future run in the scope of the observation that was current when
	 * the operation was called. Listeners are observed by the
	 * {@link io.statestore.client.KeyWatcher} of the template.
	 * @param template the template
	 * @return the template that is observed
	 */
	public StateStoreTemplate observe(StateStoreTemplate template) {
		return template
			.withInvoker((invoker) -> new ObservingInvoker(template.connection(), this.registry, this.calls));
	}

}
