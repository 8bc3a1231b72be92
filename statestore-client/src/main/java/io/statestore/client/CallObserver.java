package io.statestore.client;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Server;
import io.statestore.client.observability.DefaultStateStoreCallObservationConvention;
import io.statestore.client.observability.StateStoreCallContext;
import io.statestore.client.observability.StateStoreObservability;
import io.statestore.client.observability.StateStoreObservationDocumentation;
import io.statestore.protocol.Command;
import io.statestore.protocol.TraceContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Observes the calls of a template with Micrometer. Costs a branch while the registry has
 * no handlers. A handler that fails does not affect a call. Immutable.
 */
final class CallObserver {

	/** Observes nothing. */
	static final CallObserver NONE = new CallObserver(StateStoreObservability.NONE, null);

	private static final Logger logger = LoggerFactory.getLogger(CallObserver.class);

	private final StateStoreObservability observability;

	private final @Nullable Server server;

	/**
	 * @param server the broker, or {@code null} if unknown
	 */
	CallObserver(StateStoreObservability observability, @Nullable Server server) {
		this.observability = observability;
		this.server = server;
	}

	/** Starts the observation of a call on the calling thread. */
	ObservedCall start(Command command) {
		if (this.observability.registry().isNoop()) {
			return ObservedCall.NONE;
		}
		Key key = TypedCommand.key(command);
		return start(new StateStoreCallContext(TypedCommand.verb(command), key, (key != null) ? 1 : 0, this.server),
				command instanceof Command.Write);
	}

	/** Starts the observation of the read of several keys on the calling thread. */
	ObservedCall start(MultiGet<?> gets) {
		if (gets.size() == 0 || this.observability.registry().isNoop()) {
			return ObservedCall.NONE;
		}
		return start(new StateStoreCallContext("GET", gets.singleKey(), gets.size(), this.server), false);
	}

	private ObservedCall start(StateStoreCallContext context, boolean write) {
		ObservationRegistry registry = this.observability.registry();
		try {
			Observation caller = registry.getCurrentObservation();
			Observation observation = StateStoreObservationDocumentation.CALL.observation(this.observability.calls(),
					DefaultStateStoreCallObservationConvention.INSTANCE, () -> context, registry);
			if (observation.isNoop()) {
				return ObservedCall.NONE;
			}
			observation.start();
			return new MicrometerCall(observation, context, caller, write);
		}
		catch (RuntimeException ex) {
			logger.warn("Failed to observe a call, which continues", ex);
			return ObservedCall.NONE;
		}
	}

	/** A call, from its start to its end. Thread-safe. */
	interface ObservedCall {

		/** A call that is not observed. */
		ObservedCall NONE = new ObservedCall() {
		};

		/** Returns options that pass the trace context on, if the call is a write. */
		default Options options(Options options) {
			return options;
		}

		/**
		 * Ends the observation. Only the first call has an effect.
		 * @param failure failure of the call, or {@code null} if it has succeeded
		 */
		default void end(@Nullable Throwable failure) {
		}

		/** Completes a future, whose continuations run in the scope of the caller. */
		default <R> void complete(CompletableFuture<R> future, R result) {
			future.complete(result);
		}

		/** Fails a future, whose continuations run in the scope of the caller. */
		default void fail(CompletableFuture<?> future, Throwable failure) {
			future.completeExceptionally(failure);
		}

	}

	/** An observed call. */
	private static final class MicrometerCall implements ObservedCall {

		private final AtomicBoolean ended = new AtomicBoolean();

		private final Observation observation;

		private final StateStoreCallContext context;

		/** Observation in which the call was made, {@code null} if there was none. */
		private final @Nullable Observation caller;

		private final boolean write;

		MicrometerCall(Observation observation, StateStoreCallContext context, @Nullable Observation caller,
				boolean write) {
			this.observation = observation;
			this.context = context;
			this.caller = caller;
			this.write = write;
		}

		@Override
		public Options options(Options options) {
			Map<String, String> fields = this.context.getCarrier();
			if (!this.write || fields == null || fields.isEmpty()) {
				return options;
			}
			return options.withTraceContext(TraceContext.of(fields.entrySet(), Map.Entry::getKey, Map.Entry::getValue));
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
			catch (RuntimeException ex) {
				logger.warn("Failed to observe the end of a call", ex);
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
			Observation.Scope scope = openScope();
			try {
				completion.run();
			}
			finally {
				close(scope);
			}
		}

		private Observation.@Nullable Scope openScope() {
			try {
				return (this.caller != null) ? this.caller.openScope() : null;
			}
			catch (RuntimeException ex) {
				logger.warn("Failed to restore the observation of the caller", ex);
				return null;
			}
		}

		private static void close(Observation.@Nullable Scope scope) {
			try {
				if (scope != null) {
					scope.close();
				}
			}
			catch (RuntimeException ex) {
				logger.warn("Failed to leave the observation of the caller", ex);
			}
		}

	}

}
