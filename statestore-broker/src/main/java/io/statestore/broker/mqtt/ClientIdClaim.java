package io.statestore.broker.mqtt;

import java.util.concurrent.atomic.AtomicBoolean;

import io.statestore.broker.security.ClientPrincipal;

/**
 * Claim of a connection to its client id, until the connection has ended. Thread-safe.
 */
final class ClientIdClaim {

	private final ClaimResult result;

	private final String owner;

	private final Runnable release;

	private final AtomicBoolean closed = new AtomicBoolean();

	/**
	 * Creates a claim that is granted.
	 * @param release releases the client id
	 */
	ClientIdClaim(Runnable release) {
		this(ClaimResult.GRANTED, "", release);
	}

	private ClientIdClaim(ClaimResult result, String owner, Runnable release) {
		this.result = result;
		this.owner = owner;
		this.release = release;
	}

	/**
	 * Creates a claim that is not granted.
	 * @param owner name of the principal that has the client id, empty if it is anonymous
	 */
	static ClientIdClaim refused(ClaimResult result, String owner) {
		return new ClientIdClaim(result, owner, () -> {
		});
	}

	/** Returns whether the claim is granted. Otherwise the client must be refused. */
	ClaimResult result() {
		return this.result;
	}

	/** Returns the principal that has the client id if the claim is not granted. */
	ClientPrincipal owner() {
		return new ClientPrincipal(this.owner);
	}

	/** Ends the claim after the end of the connection. */
	void close() {
		if (this.closed.compareAndSet(false, true)) {
			this.release.run();
		}
	}

}
