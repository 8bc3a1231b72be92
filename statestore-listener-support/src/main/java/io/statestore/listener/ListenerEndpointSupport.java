package io.statestore.listener;

/** Internal: base class for listeners with an id. Not part of the API. Thread-safe. */
public abstract class ListenerEndpointSupport {

	private final String id;

	/** Whether the listener should run while its registry is running. */
	private volatile boolean wanted;

	/**
	 * Creates an endpoint.
	 * @param id the id, unique in the registry
	 * @param autoStartup whether the listener starts with the registry
	 */
	protected ListenerEndpointSupport(String id, boolean autoStartup) {
		this.id = id;
		this.wanted = autoStartup;
	}

	/**
	 * Returns the listener's id.
	 * @return the id, unique in the registry
	 */
	public final String id() {
		return this.id;
	}

	/**
	 * Returns whether the calling code was called by the listener, directly or
	 * indirectly. It must then not wait for the current call to end, because that wait
	 * would never end.
	 * @return whether the listener is the caller
	 */
	protected abstract boolean isCalledBySelf();

	final boolean isWanted() {
		return this.wanted;
	}

	final void setWanted(boolean wanted) {
		this.wanted = wanted;
	}

}
