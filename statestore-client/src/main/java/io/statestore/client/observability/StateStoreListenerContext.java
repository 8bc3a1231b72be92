package io.statestore.client.observability;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.statestore.client.KeyChange;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.TraceContext;

/**
 * Observation context of a listener that handles a change. Its carrier holds the trace
 * context of the write.
 */
public final class StateStoreListenerContext extends ReceiverContext<TraceContext> {

	private final String listenerId;

	private final KeyChange<Bytes> change;

	/**
	 * Creates a context.
	 * @param listenerId id of the listener, {@code none} if it has none
	 * @param change the change
	 */
	public StateStoreListenerContext(String listenerId, KeyChange<Bytes> change) {
		super(TraceContext::get, Kind.CONSUMER);
		this.listenerId = listenerId;
		this.change = change;
		setCarrier(change.traceContext());
		setRemoteServiceName("statestore");
	}

	/**
	 * Returns the id of the listener.
	 * @return the id, {@code none} if it has none
	 */
	public String listenerId() {
		return this.listenerId;
	}

	/**
	 * Returns the change.
	 * @return the change, whose value is not converted
	 */
	public KeyChange<Bytes> change() {
		return this.change;
	}

}
