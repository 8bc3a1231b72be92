package io.statestore.client.observability;

import java.util.concurrent.CompletableFuture;

import io.micrometer.observation.ObservationRegistry;
import io.statestore.client.CommandInvoker;
import io.statestore.client.Key;
import io.statestore.client.internal.CallObserver;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import org.jspecify.annotations.Nullable;

/**
 * Invoker that is also its template's call observer. The template detects the observer
 * when its invoker is decorated.
 */
record ObservingInvoker(CommandInvoker invoker, ObservationRegistry registry,
		@Nullable StateStoreCallObservationConvention convention) implements CommandInvoker, CallObserver {

	@Override
	public CompletableFuture<Response> invoke(Command command, Options options) {
		return this.invoker.invoke(command, options);
	}

	/**
	 * Starts observing a call. If observations are disabled, this costs a single branch.
	 */
	@Override
	public ObservedCall start(String command, @Nullable Bytes key, int keyCount, boolean write) {
		if (this.registry.isNoop()) {
			return ObservedCall.NONE;
		}
		return MicrometerCall.start(new StateStoreCallContext(command, (key != null) ? new Key(key) : null, keyCount,
				this.invoker.server()), this.registry, this.convention, write);
	}

}
