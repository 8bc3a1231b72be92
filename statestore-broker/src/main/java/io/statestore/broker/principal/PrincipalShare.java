package io.statestore.broker.principal;

import org.jspecify.annotations.Nullable;

/**
 * Share of one connection in the limits of its principal. Confined to one thread.
 * <p>
 * Internal: not part of the API.
 */
public final class PrincipalShare implements AutoCloseable {

	/** The share of a connection that is not admitted yet, which has no limits. */
	public static final PrincipalShare UNLIMITED = new PrincipalShare(null, "", null);

	private final @Nullable PrincipalUse use;

	private final String clientId;

	/** Permits for all requests, {@code null} for any number. */
	private final Permits.@Nullable Holder requests;

	/** Permits for requests that visit many keys, {@code null} for any number. */
	private final Permits.@Nullable Holder scans;

	private boolean closed;

	/**
	 * Creates a share.
	 * @param use use of the limits of the principal, {@code null} for an anonymous client
	 */
	PrincipalShare(@Nullable PrincipalUse use, String clientId, @Nullable Permits scans) {
		this.use = use;
		this.clientId = clientId;
		this.requests = (use != null) ? use.requests().new Holder() : null;
		this.scans = (scans != null) ? scans.new Holder() : null;
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
		Permits.Holder scans = scan ? this.scans : null;
		if (scans != null && !scans.tryBegin(resumption)) {
			return false;
		}
		if (this.requests == null || this.requests.tryBegin(resumption)) {
			return true;
		}
		if (scans != null) {
			scans.keep();
		}
		return false;
	}

	/**
	 * Ends a request, also after {@link #close()}.
	 * @param scan whether the request visits many keys, and {@link #endScan()} was not
	 * called
	 */
	public void end(boolean scan) {
		if (this.requests != null) {
			this.requests.end();
		}
		if (scan) {
			endScan();
		}
	}

	/** Permits another SCAN in place of one that has read its keys, before it ends. */
	public void endScan() {
		if (this.scans != null) {
			this.scans.end();
		}
	}

	/**
	 * Ends the connection. Its requests that are not answered count until they are. Has
	 * no effect the second time.
	 */
	@Override
	public void close() {
		if (this.closed || this == UNLIMITED) {
			return;
		}
		this.closed = true;
		if (this.use != null) {
			this.use.disconnect(this.clientId);
		}
		if (this.requests != null) {
			this.requests.close();
		}
		if (this.scans != null) {
			this.scans.close();
		}
	}

}
