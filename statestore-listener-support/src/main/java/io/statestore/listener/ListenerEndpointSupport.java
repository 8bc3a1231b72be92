package io.statestore.listener;

/** Internal: base class of listeners with an id. Not part of the API. Thread-safe. */
public abstract class ListenerEndpointSupport {

	private final String id;

	/** Whether the listener runs while its registry is running. */
	private volatile boolean wanted;

	/**
	 * Creates an endpoint.
	 * @param id unique id in the registry
	 * @param autoStartup whether to start with the registry
	 */
	protected ListenerEndpointSupport(String id, boolean autoStartup) {
		this.id = id;
		this.wanted = autoStartup;
	}

	/**
	 * Returns the id of the listener.
	 * @return the id, unique in the registry
	 */
	public final String id() {
		return this.id;
	}

	/**
	 * Returns whether the calling code was called by the listener, directly or not.
	 * Waiting for the end of the current call would then never end.
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
