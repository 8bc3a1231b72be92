package io.statestore.broker.artemis;

import java.util.concurrent.atomic.AtomicReference;

import io.netty.util.AttributeKey;
import io.statestore.broker.artemis.session.ClaimResult;

/**
 * Claim of a connection to its client id. Artemis executes the CONNECT on another thread,
 * possibly after the end of the connection. The claim lasts until both have ended, so
 * that a late CONNECT never takes over a session that belongs to another principal by
 * then. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public final class ClientIdClaim {

	/** Attribute of a channel: the claim of its connection. */
	static final AttributeKey<ClientIdClaim> KEY = AttributeKey.valueOf(ClientIdClaim.class, "claim");

	private final AtomicReference<State> state = new AtomicReference<>(State.CLAIMED);

	private final ClaimResult result;

	private final Runnable release;

	/**
	 * Creates a claim that is granted.
	 * @param release releases the client id
	 */
	public ClientIdClaim(Runnable release) {
		this(ClaimResult.GRANTED, release);
	}

	private ClientIdClaim(ClaimResult result, Runnable release) {
		this.result = result;
		this.release = release;
	}

	/**
	 * Creates a claim that is not granted.
	 * @param result the reason
	 * @return the claim
	 */
	public static ClientIdClaim refused(ClaimResult result) {
		return new ClientIdClaim(result, () -> {
		});
	}

	/**
	 * Returns whether the claim is granted. Otherwise the CONNECT must not be executed.
	 * @return the result
	 */
	public ClaimResult result() {
		return this.result;
	}

	/**
	 * Begins the execution of the CONNECT, to be followed by {@link #executed()}.
	 * @return {@code false} if the connection has ended, and the CONNECT must not be
	 * executed
	 */
	boolean tryExecute() {
		return this.state.compareAndSet(State.CLAIMED, State.EXECUTING);
	}

	/** Ends the execution of the CONNECT. */
	void executed() {
		if (!this.state.compareAndSet(State.EXECUTING, State.EXECUTED)) {
			this.release.run();
		}
	}

	/**
	 * Ends the claim after the end of the connection, as soon as its CONNECT is not being
	 * executed. Has no effect the second time.
	 */
	public void close() {
		State previous = this.state.getAndSet(State.CLOSED);
		if (previous == State.CLAIMED || previous == State.EXECUTED) {
			this.release.run();
		}
	}

	private enum State {

		CLAIMED, EXECUTING, EXECUTED, CLOSED

	}

}
