package io.statestore.client.observability;

import io.micrometer.observation.ObservationRegistry;
import io.statestore.client.StateStoreTemplate;
import org.jspecify.annotations.Nullable;

/**
 * Settings for Micrometer observations of calls and listeners.
 *
 * @param registry registry of the observations. Without a handler, nothing is observed,
 * at no additional cost
 * @param calls convention for calls, {@code null} for the default
 * @param listeners convention for listeners, {@code null} for the default
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
	 * Returns a template whose calls are observed. An observation ends before its call's
	 * result is available. Writes pass the trace context on to listeners.
	 * <p>
	 * A future's continuations run in the scope of the observation that was current when
	 * the operation was called. Listeners are observed by the template's
	 * {@link io.statestore.client.KeyWatcher}.
	 * @param template the template to observe
	 * @return a template whose calls are observed
	 */
	public StateStoreTemplate observe(StateStoreTemplate template) {
		return template
			.withInvoker((invoker) -> new ObservingInvoker(template.connection(), this.registry, this.calls));
	}

}
