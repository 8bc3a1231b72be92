package io.statestore.client.observability;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.statestore.client.KeyChange;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.TraceContext;

/**
 * Observation context of a listener that handles a change. Its carrier holds the write's
 * trace context.
 */
public final class StateStoreListenerContext extends ReceiverContext<TraceContext> {

	private final String listenerId;

	private final KeyChange<Bytes> change;

	/**
	 * Creates a context.
	 * @param listenerId the listener's id, {@code none} if it does not have an id
	 * @param change the change to handle, whose value is not converted
	 */
	public StateStoreListenerContext(String listenerId, KeyChange<Bytes> change) {
		super(TraceContext::get, Kind.CONSUMER);
		this.listenerId = listenerId;
		this.change = change;
		setCarrier(change.traceContext());
		setRemoteServiceName("statestore");
	}

	/**
	 * Returns the listener's id.
	 * @return the id, {@code none} if the listener does not have an id
	 */
	public String listenerId() {
		return this.listenerId;
	}

	/**
	 * Returns the change that the listener handles.
	 * @return the change, whose value is not converted
	 */
	public KeyChange<Bytes> change() {
		return this.change;
	}

}
