package io.statestore.client.observation;

import java.util.function.Consumer;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChangeErrorHandler;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.KeyObserver.Settings;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls one listener and handles its failures. Micrometer observes each call, except
 * those of a direct listener, which is internal to this library.
 */
final class ListenerInvoker implements Consumer<KeyChange<Bytes>> {

	/** Name of the Micrometer observation and its timer. */
	static final String OBSERVATION_NAME = "statestore.listener";

	private static final Logger logger = LoggerFactory.getLogger(ListenerInvoker.class);

	private final String listenerId;

	private final KeyChangeListener<Bytes> listener;

	private final @Nullable KeyChangeErrorHandler errorHandler;

	private final ObservationRegistry registry;

	private final boolean direct;

	ListenerInvoker(Settings settings, KeyChangeListener<Bytes> listener, ObservationRegistry registry) {
		this.listenerId = settings.id();
		this.listener = listener;
		this.errorHandler = settings.errorHandler();
		this.registry = registry;
		this.direct = settings.direct();
	}

	@Override
	public void accept(KeyChange<Bytes> change) {
		if (this.direct) {
			// May run on an application thread, which keeps its interrupt flag.
			call(change, Observation.NOOP);
			return;
		}
		Observation observation = Observation.createNotStarted(OBSERVATION_NAME, this.registry)
			.contextualName("statestore listener " + this.listenerId)
			.lowCardinalityKeyValue("statestore.listener.id", this.listenerId)
			.lowCardinalityKeyValue("statestore.operation", change.operation().name())
			.lowCardinalityKeyValue("statestore.resynchronized", Boolean.toString(change.resynchronized()))
			.highCardinalityKeyValue("statestore.key", change.key().toString())
			.start();
		try (Observation.Scope scope = observation.openScope()) {
			call(change, observation);
		}
		finally {
			observation.stop();
			// The thread also runs other listeners, which must not see this interrupt.
			Thread.interrupted();
		}
	}

	private void call(KeyChange<Bytes> change, Observation observation) {
		try {
			this.listener.onChange(change);
		}
		catch (Throwable ex) {
			observation.error(ex);
			handle(change, ex);
		}
	}

	private void handle(KeyChange<Bytes> change, Throwable failure) {
		if (this.errorHandler == null) {
			logger.error("Listener '{}' failed for {}; the next change follows", this.listenerId, change, failure);
			return;
		}
		try {
			this.errorHandler.handleError(this.listenerId, change, failure);
		}
		catch (Throwable ex) {
			ex.addSuppressed(failure);
			logger.error("The error handler of listener '{}' failed for {}; the next change follows", this.listenerId,
					change, ex);
		}
	}

}
