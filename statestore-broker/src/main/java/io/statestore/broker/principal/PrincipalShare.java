package io.statestore.broker.principal;

import java.util.concurrent.atomic.LongAdder;

/**
 * One connection's share of its principal's limits. Confined to one thread.
 * <p>
 * Internal: not part of the API.
 */
public final class PrincipalShare implements AutoCloseable {

	/** The share of a connection that has not been admitted yet, which is not limited. */
	public static final PrincipalShare UNLIMITED = new PrincipalShare(
			new PrincipalUse(Permits.UNLIMITED, Permits.UNLIMITED, Permits.UNLIMITED, new LongAdder()), "");

	private final PrincipalUse use;

	private final String clientId;

	private boolean closed;

	/**
	 * Creates a share.
	 * @param use the principal's use of its limits
	 * @param clientId the MQTT client id
	 */
	PrincipalShare(PrincipalUse use, String clientId) {
		this.use = use;
		this.clientId = clientId;
	}

	/**
	 * Begins a request unless the principal has too many unanswered requests. In that
	 * case, later requests on other connections also wait until this request has been
	 * resumed.
	 * @param scan whether the request visits many keys, like a SCAN
	 * @param resumption called by any thread once the request can begin. Must return
	 * immediately; the connection then calls this method again on its own thread
	 * @return whether the request may begin. If so, it must be {@linkplain #end ended}
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
	 * Ends a request, even after {@link #close()}.
	 * @param scan whether this is a scan for which {@link #endScan()} was not called
	 */
	public void end(boolean scan) {
		this.use.requests().end();
		if (scan) {
			endScan();
		}
	}

	/**
	 * Permits another SCAN in place of a SCAN that has read its keys but has not ended
	 * yet.
	 */
	public void endScan() {
		this.use.scans().end();
	}

	/**
	 * Ends the connection. Its unanswered requests count until they are answered. Later
	 * calls have no effect.
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
