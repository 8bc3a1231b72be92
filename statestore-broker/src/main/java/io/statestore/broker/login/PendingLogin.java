package io.statestore.broker.login;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.statestore.broker.login.LoginQueue.Turn;
import io.statestore.broker.security.Credentials;
import org.jspecify.annotations.Nullable;

/**
 * A login whose credentials have to be verified. Drops the credentials when it ends,
 * because the refusal may be delayed and credentials can be large. Compared by identity.
 * Thread-safe.
 */
final class PendingLogin {

	private final LoginKey key;

	private final long bytes;

	private final ScheduledExecutorService loop;

	private final Runnable wrong;

	private final Consumer<LoginResult> done;

	/** The client's credentials, {@code null} after this login has ended. */
	private final AtomicReference<@Nullable Credentials> credentials;

	/** Timer for the verification, then for the delayed refusal. */
	private volatile @Nullable Future<?> timer;

	/** Place in the queue. */
	private Turn turn = new Turn(0, 0, 0);

	/**
	 * Creates a login.
	 * @param credentials the client's credentials
	 * @param bytes estimated heap of the login
	 * @param loop event loop of the connection
	 * @param wrong called if the credentials are wrong, before the delay of the result
	 * @param done receives the result
	 */
	PendingLogin(Credentials credentials, long bytes, ScheduledExecutorService loop, Runnable wrong,
			Consumer<LoginResult> done) {
		this.key = LoginKey.of(credentials);
		this.credentials = new AtomicReference<>(credentials);
		this.bytes = bytes;
		this.loop = loop;
		this.wrong = wrong;
		this.done = done;
	}

	LoginKey key() {
		return this.key;
	}

	/** Returns the client's credentials, or {@code null} if this login has ended. */
	@Nullable Credentials credentials() {
		return this.credentials.get();
	}

	/** Returns the estimated heap of the login, in bytes. */
	long bytes() {
		return this.bytes;
	}

	Turn turn() {
		return this.turn;
	}

	void setTurn(Turn turn) {
		this.turn = turn;
	}

	/**
	 * Runs a task on the event loop after a delay, unless it is {@link #cancel canceled}.
	 */
	void schedule(Duration delay, Runnable task) {
		try {
			this.timer = this.loop.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			// The broker is stopping, which ends the connection.
		}
	}

	void cancel() {
		Future<?> timer = this.timer;
		if (timer != null) {
			timer.cancel(false);
		}
	}

	/**
	 * Ends this login.
	 * @return the client's credentials, in which case the caller must determine the
	 * result, or {@code null} if this login had already ended
	 */
	@Nullable Credentials end() {
		return this.credentials.getAndSet(null);
	}

	/** Reports wrong credentials on the event loop. */
	void wrong() {
		execute(this.wrong);
	}

	/** Passes the result to the connection. Called on its event loop. */
	void done(LoginResult result) {
		this.done.accept(result);
	}

	/** Passes the result to the connection on its event loop. */
	void answer(LoginResult result) {
		execute(() -> done(result));
	}

	private void execute(Runnable task) {
		try {
			this.loop.execute(task);
		}
		catch (RejectedExecutionException ex) {
			// The broker is stopping, which ends the connection.
		}
	}

}
