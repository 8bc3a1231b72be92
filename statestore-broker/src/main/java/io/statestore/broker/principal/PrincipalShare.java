package io.statestore.broker.principal;

import org.jspecify.annotations.Nullable;

/**
 * Share of one connection in the limits of its principal. Confined to one thread, except
 * that any thread may grant a permit for a request.
 * <p>
 * Internal: not part of the API.
 */
public final class PrincipalShare implements AutoCloseable {

	/** The share of anonymous clients, which has no limits. */
	public static final PrincipalShare UNLIMITED = new PrincipalShare(null, "");

	private static final Runnable NOTHING = () -> {
	};

	private final @Nullable PrincipalUse use;

	private final String clientId;

	/** Resumes requests, on any thread. */
	private volatile Runnable resumption = NOTHING;

	/** Whether this connection has a permit for its next request. */
	private volatile boolean permitted;

	/** Whether this connection waits for a permit. Guarded by the lock of the use. */
	private boolean waiting;

	private boolean closed;

	PrincipalShare(@Nullable PrincipalUse use, String clientId) {
		this.use = use;
		this.clientId = clientId;
	}

	/**
	 * Begins a request, unless the principal has too many unanswered ones. In that case,
	 * a later request of another connection waits, too, until this one was resumed.
	 * @param resumption called by any thread once the request can begin. Must return at
	 * once. The connection then calls this method again, on its own thread
	 * @return whether the request may begin. It must be {@linkplain #end() ended}
	 */
	public boolean tryBegin(Runnable resumption) {
		if (this.use == null) {
			return true;
		}
		if (takePermit()) {
			return true;
		}
		this.resumption = resumption;
		return this.use.tryBegin(this);
	}

	/** Ends a request, also after {@link #close()}. */
	public void end() {
		if (this.use != null) {
			this.use.end();
		}
	}

	/**
	 * Counts bytes received from the client.
	 * @param bytes the number of bytes
	 * @return the time in nanoseconds for which to read no further bytes, 0 for none
	 */
	public long received(int bytes) {
		return (this.use != null) ? this.use.received(bytes) : 0;
	}

	/** Changes whether this connection waits, and returns whether that is new. */
	boolean markWaiting(boolean waits) {
		boolean changed = this.waiting != waits;
		this.waiting = waits;
		return changed;
	}

	void givePermit() {
		this.permitted = true;
	}

	/**
	 * Takes the permit if there is one. Only the thread of the connection takes it.
	 */
	boolean takePermit() {
		if (!this.permitted) {
			return false;
		}
		this.permitted = false;
		return true;
	}

	void resume() {
		this.resumption.run();
	}

	/**
	 * Ends the connection. Its requests that are not answered count until they are. Has
	 * no effect the second time.
	 */
	@Override
	public void close() {
		if (this.use != null && !this.closed) {
			this.closed = true;
			this.use.disconnect(this.clientId, this);
		}
	}

}
