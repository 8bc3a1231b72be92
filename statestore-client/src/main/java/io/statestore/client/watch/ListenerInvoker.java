package io.statestore.client.watch;

import java.util.function.Consumer;

import io.micrometer.observation.Observation;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChangeErrorHandler;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.client.internal.ObservationScopes;
import io.statestore.client.observability.StateStoreListenerContext;
import io.statestore.client.observability.StateStoreListenerObservationConvention;
import io.statestore.client.observability.StateStoreObservability;
import io.statestore.protocol.Bytes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls a listener and handles its failures. Micrometer observes each call, except for
 * direct listeners, which are internal to this library.
 */
record ListenerInvoker(Settings settings, KeyChangeListener<Bytes> listener,
		StateStoreObservability observability) implements Consumer<KeyChange<Bytes>> {

	private static final Logger logger = LoggerFactory.getLogger(ListenerInvoker.class);

	private static final StateStoreListenerObservationConvention DEFAULT_CONVENTION = new StateStoreListenerObservationConvention() {
	};

	@Override
	public void accept(KeyChange<Bytes> change) {
		if (this.settings.direct()) {
			// This may be an application thread, whose interrupt flag must not be
			// cleared.
			call(change, Observation.NOOP);
			return;
		}
		try {
			observe(change);
		}
		finally {
			// The thread also runs other listeners, which must not see this interrupt.
			Thread.interrupted();
		}
	}

	private void observe(KeyChange<Bytes> change) {
		Observation observation = start(change);
		ObservationScopes.run(this.observability.registry(), observation, () -> call(change, observation));
		report(observation::stop);
	}

	/**
	 * Starts an observation. If this fails, the listener is called without an
	 * observation.
	 */
	private Observation start(KeyChange<Bytes> change) {
		try {
			return Observation.start(this.observability.listeners(), DEFAULT_CONVENTION,
					() -> new StateStoreListenerContext(this.settings.watchId(), change),
					this.observability.registry());
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Failed to start the observation of listener '{}'; calling it for {} without an observation",
					this.settings.id(), change, ex);
			return Observation.NOOP;
		}
	}

	private void call(KeyChange<Bytes> change, Observation observation) {
		try {
			this.listener.onChange(change);
		}
		catch (Throwable ex) {
			report(() -> observation.error(ex));
			handle(change, ex);
		}
	}

	/**
	 * Reports an event to an observation's handlers. Their failures are ignored.
	 */
	private void report(Runnable event) {
		try {
			event.run();
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Failed to end the observation of listener '{}'; the listener is not affected",
					this.settings.id(), ex);
		}
	}

	private void handle(KeyChange<Bytes> change, Throwable failure) {
		KeyChangeErrorHandler errorHandler = this.settings.errorHandler();
		if (errorHandler == null) {
			logger.error("Listener '{}' failed for {}; continuing with the next change", this.settings.id(), change,
					failure);
			return;
		}
		try {
			errorHandler.handleError(this.settings.id(), change, failure);
		}
		catch (Throwable ex) {
			ex.addSuppressed(failure);
			logger.error("The error handler of listener '{}' failed for {}; continuing with the next change",
					this.settings.id(), change, ex);
		}
	}

}
