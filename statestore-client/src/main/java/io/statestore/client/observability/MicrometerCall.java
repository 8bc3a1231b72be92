package io.statestore.client.observability;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.statestore.client.CallObserver.Call;
import io.statestore.client.CallObserver.ObservedCall;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.protocol.TraceContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A call that Micrometer observes. A handler that fails does not affect it. */
final class MicrometerCall implements ObservedCall {

	private static final Logger logger = LoggerFactory.getLogger(MicrometerCall.class);

	private final AtomicBoolean ended = new AtomicBoolean();

	private final StateStoreObservability observability;

	private final Observation observation;

	private final StateStoreCallContext context;

	/** Observation in which the call was made, {@code null} if there was none. */
	private final @Nullable Observation caller;

	private final boolean write;

	private MicrometerCall(StateStoreObservability observability, Observation observation,
			StateStoreCallContext context, @Nullable Observation caller, boolean write) {
		this.observability = observability;
		this.observation = observation;
		this.context = context;
		this.caller = caller;
		this.write = write;
	}

	/** Starts the observation of a call, unless this fails. */
	static ObservedCall start(Call call, StateStoreObservability observability) {
		StateStoreCallContext context = new StateStoreCallContext(call.command(), call.key(), call.keyCount(),
				call.server());
		try {
			ObservationRegistry registry = observability.registry();
			Observation caller = registry.getCurrentObservation();
			Observation observation = StateStoreObservationDocumentation.CALL.observation(observability.calls(),
					DefaultStateStoreCallObservationConvention.INSTANCE, () -> context, registry);
			if (observation.isNoop()) {
				return ObservedCall.NONE;
			}
			observation.start();
			return new MicrometerCall(observability, observation, context, caller, call.write());
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Failed to start the observation of a call; the call continues. Check the observation "
					+ "conventions and handlers", ex);
			return ObservedCall.NONE;
		}
	}

	@Override
	public Options options(Options options) {
		Map<String, String> fields = this.context.getCarrier();
		if (!this.write || fields == null || fields.isEmpty()) {
			return options;
		}
		try {
			return options.withTraceContext(TraceContext.of(fields.entrySet(), Map.Entry::getKey, Map.Entry::getValue));
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Failed to pass on the trace context of a call, which continues", ex);
			return options;
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
	public <R> void complete(CompletableFuture<R> future, R result) {
		inScopeOfCaller(() -> future.complete(result));
	}

	@Override
	public void fail(CompletableFuture<?> future, Throwable failure) {
		inScopeOfCaller(() -> future.completeExceptionally(failure));
	}

	private void inScopeOfCaller(Runnable completion) {
		if (this.caller != null) {
			this.observability.inScope(this.caller, completion);
		}
		else {
			completion.run();
		}
	}

}
