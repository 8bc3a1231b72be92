package io.statestore.client.observability;

import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.statestore.client.internal.CallObserver.ObservedCall;
import io.statestore.client.internal.ObservationScopes;
import io.statestore.protocol.TraceContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A call that Micrometer observes. Failing observation handlers do not affect the call.
 */
final class MicrometerCall implements ObservedCall {

	private static final Logger logger = LoggerFactory.getLogger(MicrometerCall.class);

	private static final StateStoreCallObservationConvention DEFAULT_CONVENTION = new StateStoreCallObservationConvention() {
	};

	private final AtomicBoolean ended = new AtomicBoolean();

	private final ObservationRegistry registry;

	private final Observation observation;

	private final StateStoreCallContext context;

	/** Observation that was current when the call was made, {@code null} for none. */
	private final @Nullable Observation caller;

	private final boolean write;

	private MicrometerCall(ObservationRegistry registry, Observation observation, StateStoreCallContext context,
			@Nullable Observation caller, boolean write) {
		this.registry = registry;
		this.observation = observation;
		this.context = context;
		this.caller = caller;
		this.write = write;
	}

	/** Starts observing a call. If this fails, the call is not observed. */
	static ObservedCall start(StateStoreCallContext context, ObservationRegistry registry,
			@Nullable StateStoreCallObservationConvention convention, boolean write) {
		try {
			Observation caller = registry.getCurrentObservation();
			Observation observation = Observation.createNotStarted(convention, DEFAULT_CONVENTION, () -> context,
					registry);
			if (observation.isNoop()) {
				return ObservedCall.NONE;
			}
			observation.start();
			return new MicrometerCall(registry, observation, context, caller, write);
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Failed to start the observation of a call; the call continues. Check the observation "
					+ "conventions and handlers", ex);
			return ObservedCall.NONE;
		}
	}

	@Override
	public TraceContext traceContext() {
		Map<String, String> fields = this.context.getCarrier();
		if (!this.write || fields == null || fields.isEmpty()) {
			return TraceContext.EMPTY;
		}
		try {
			return TraceContext.of(fields.entrySet(), Map.Entry::getKey, Map.Entry::getValue);
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Failed to pass on the trace context of a call; the call continues without it. Check the "
					+ "propagators", ex);
			return TraceContext.EMPTY;
		}
	}

	@Override
	public void end(@Nullable Throwable failure) {
		if (!this.ended.compareAndSet(false, true)) {
			return;
		}
		try {
			if (failure != null) {
				this.observation.error(failure);
			}
			this.context.end();
			this.observation.stop();
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Failed to end the observation of a call; the call is not affected. Check the observation "
					+ "conventions and handlers", ex);
		}
	}

	@Override
	public void inScopeOfCaller(Runnable action) {
		if (this.caller != null) {
			ObservationScopes.run(this.registry, this.caller, action);
		}
		else {
			action.run();
		}
	}

}
