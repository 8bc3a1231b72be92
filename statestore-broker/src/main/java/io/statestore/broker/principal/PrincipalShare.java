package io.statestore.broker.principal;

import java.util.concurrent.atomic.LongAdder;

/**
 * Share of one connection in the limits of its principal. Confined to one thread.
 * <p>
 * Internal: not part of the API.
 */
public final class PrincipalShare implements AutoCloseable {

	/** The share of a connection that is not admitted yet, which has no limits. */
	public static final PrincipalShare UNLIMITED = new PrincipalShare(
			new PrincipalUse(Permits.UNLIMITED, Permits.UNLIMITED, Permits.UNLIMITED, new LongAdder()), "");

	private final PrincipalUse use;

	private final String clientId;

	private boolean closed;

	/**
	 * Creates a share.
	 * @param use use of the limits of the principal
	 * @param clientId the MQTT client id
	 */
	PrincipalShare(PrincipalUse use, String clientId) {
		this.use = use;
		this.clientId = clientId;
	}

	/**
	 * Begins a request, unless the principal has too many unanswered ones. In that case,
	 * a later request of another connection waits, too, until this one was resumed.
	 * @param scan whether the request visits many keys, as a SCAN does
	 * @param resumption called by any thread once the request can begin. Must return at
	 * once. The connection then calls this method again, on its own thread
	 * @return whether the request may begin. It must be {@linkplain #end ended}
	 */
	public boolean tryBegin(boolean scan, Runnable resumption) {
		if (scan && !this.use.scans().tryBegin(this, resumption)) {
			return false;
		}
		if (this.use.requests().tryBegin(this, resumption)) {
			return true;
		}
		if (scan) {
			this.use.scans().keep(this);
		}
		return false;
	}

	/**
	 * Ends a request, also after {@link #close()}.
	 * @param scan whether this is a scan for which {@link #endScan()} was not called
	 */
	public void end(boolean scan) {
		this.use.requests().end();
		if (scan) {
			endScan();
		}
	}

	/** Permits another SCAN in place of one that has read its keys, before it ends. */
	public void endScan() {
		this.use.scans().end();
	}

	/**
	 * Ends the connection. Its requests that are not answered count until they are. Has
	 * no effect the second time.
	 */
	@Override
	public void close() {
		if (!this.closed && this != UNLIMITED) {
			this.closed = true;
			this.use.disconnect(this.clientId);
			this.use.requests().close(this);
			this.use.scans().close(this);
		}
	}

}
