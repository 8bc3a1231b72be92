package io.statestore.broker.login;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

import io.statestore.broker.login.LoginResult.Accepted;
import io.statestore.broker.login.LoginResult.Refused;
import io.statestore.broker.login.Verifier.Verdict;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.AuditEvent;
import io.statestore.broker.security.AuditLine;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.security.Authenticator;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.Credentials;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Client logins on one broker. Credentials are verified on a few separate threads,
 * because that may take long, with addresses and user names taking turns. Correct
 * credentials are never delayed. Wrong credentials are rejected after a delay that grows
 * with each failure, whether or not the name is known. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public final class Logins implements AutoCloseable {

	/** Maximum time from a CONNECT or AUTH to the end of its verification. */
	static final Duration TIMEOUT = Duration.ofSeconds(10);

	/** Estimated heap of a login without the client's data, in bytes. */
	private static final int COST = 4 * 1024;

	private final TimeSource time;

	private final Verifier verifier;

	private final LoginQueue queue;

	private final LoginThreads threads;

	private final LoginFailures failures;

	private final DelayedRefusals refusals = new DelayedRefusals();

	private final AuditLog audit = new AuditLog();

	private final LongAdder accepted = new LongAdder();

	private final LongAdder refused = new LongAdder();

	/**
	 * Creates logins.
	 * @param authenticators verify credentials, in list order
	 * @param anonymous the clients that may connect without credentials
	 * @param time the broker's time source
	 * @param maxBytes maximum memory of logins that are waiting or being verified, in
	 * bytes
	 */
	public Logins(List<Authenticator> authenticators, AnonymousAccess anonymous, TimeSource time, long maxBytes) {
		this.time = time;
		this.failures = new LoginFailures(time::nanoTime);
		this.verifier = new Verifier(authenticators, anonymous, time);
		this.queue = new LoginQueue(maxBytes);
		this.threads = new LoginThreads(this.queue, this::verifyAndAnswer);
	}

	/**
	 * Returns the number of successful logins, including re-authentications.
	 * @return the number since the broker started
	 */
	public long accepted() {
		return this.accepted.sum();
	}

	/**
	 * Returns the number of refused logins.
	 * @return the number since the broker started
	 */
	public long refused() {
		return this.refused.sum();
	}

	/**
	 * Counts and reports a client that has logged in. Has no effect if the client is
	 * anonymous.
	 * @param client the authenticated client
	 * @param address the client's address
	 */
	public void admitted(Client client, InetAddress address) {
		if (!client.principal().isAnonymous()) {
			this.accepted.increment();
			line(AuditEvent.LOGIN, client, address).log();
		}
	}

	/**
	 * Counts and reports a client that is refused even though its credentials are
	 * correct.
	 * @param client the authenticated client
	 * @param address the client's address
	 * @param reason why the client is refused, for the audit log
	 */
	public void rejected(Client client, InetAddress address, String reason) {
		this.refused.increment();
		line(AuditEvent.LOGIN_FAILED, client, address).text("reason", reason).log();
	}

	private AuditLine line(AuditEvent event, Client client, InetAddress address) {
		return this.audit.line(event, client.principal()).text("client", client.clientId()).address(address);
	}

	/**
	 * Counts and reports a client that is refused because there is no memory for its
	 * login.
	 * @param credentials the client's credentials
	 */
	public void rejectedForMemory(Credentials credentials) {
		report(credentials, new Verdict(Refused.BUSY, "no memory for logins"));
	}

	/**
	 * Decides about credentials without blocking, if that is possible.
	 * @param credentials the client's credentials
	 * @return the result, or {@code null} if {@link #verify} has to determine it
	 */
	public @Nullable LoginResult decide(Credentials credentials) {
		Verdict verdict = this.verifier.decide(credentials);
		return (verdict != null) ? report(credentials, verdict) : null;
	}

	/**
	 * Verifies credentials.
	 * @param credentials the client's credentials
	 * @param loop the connection's event loop
	 * @param done receives the result on the event loop, possibly after a delay
	 * @return cancels the verification without a result; to be run when the connection
	 * ends
	 */
	public Runnable verify(Credentials credentials, ScheduledExecutorService loop, Consumer<LoginResult> done) {
		byte[] data = credentials.data();
		return verify(credentials, COST + ((data != null) ? data.length : 0), loop, () -> {
		}, done);
	}

	/**
	 * Verifies credentials within {@link #TIMEOUT}.
	 * @param credentials the client's credentials
	 * @param bytes estimated heap of the login
	 * @param loop the connection's event loop
	 * @param wrong called on the event loop as soon as the credentials are known to be
	 * wrong, before the delay of the result
	 * @param done receives the result on the event loop, possibly after a delay
	 * @return cancels the verification without a result; to be run when the connection
	 * ends
	 */
	public Runnable verify(Credentials credentials, long bytes, ScheduledExecutorService loop, Runnable wrong,
			Consumer<LoginResult> done) {
		PendingLogin login = new PendingLogin(credentials, bytes, loop, wrong, done);
		login.schedule(TIMEOUT, () -> expired(login));
		for (PendingLogin dropped : this.queue.offer(login)) {
			answer(dropped, new Verdict(Refused.BUSY, "too many logins wait for verification"));
		}
		this.threads.wake();
		return () -> left(login);
	}

	private void left(PendingLogin login) {
		// If a thread is already verifying the login, the timer replaces that thread when
		// the verification takes too long.
		if (end(login) != null && !this.threads.isVerifying(login)) {
			login.cancel();
		}
	}

	private void expired(PendingLogin login) {
		this.threads.replace(login);
		answer(login, new Verdict(Refused.UNAVAILABLE,
				"not verified within " + TIMEOUT.toSeconds() + " seconds, because authenticators are slow"));
	}

	private void answer(PendingLogin login, Verdict verdict) {
		Credentials credentials = end(login);
		if (credentials != null) {
			login.cancel();
			login.answer(report(credentials, verdict));
		}
	}

	/**
	 * Ends a login. Returns the client's credentials, or {@code null} if the login had
	 * already ended.
	 */
	private @Nullable Credentials end(PendingLogin login) {
		this.queue.remove(login);
		return login.end();
	}

	private void verifyAndAnswer(PendingLogin login) {
		Credentials credentials = login.credentials();
		if (credentials == null) {
			return;
		}
		// Time in the queue does not count toward the delay. Otherwise, there would be no
		// delay under load.
		long start = this.time.nanoTime();
		Verdict verdict = this.verifier.verify(credentials);
		Duration elapsed = Duration.ofNanos(this.time.nanoTime() - start);
		login.cancel();
		if (end(login) == null) {
			return;
		}
		LoginResult result = report(credentials, verdict);
		if (result == Refused.BAD_CREDENTIALS || result instanceof Accepted) {
			this.failures.verified(elapsed);
		}
		if (result == Refused.BAD_CREDENTIALS) {
			login.wrong();
			Duration remaining = this.failures.failed(login.key()).minus(elapsed);
			this.refusals.add(login, remaining.isNegative() ? Duration.ZERO : remaining);
		}
		else {
			login.answer(result);
		}
	}

	/**
	 * Counts and reports a refusal, or clears earlier failures after a successful login.
	 */
	private LoginResult report(Credentials credentials, Verdict verdict) {
		if (verdict.result() instanceof Refused) {
			this.refused.increment();
			InetAddress address = credentials.address();
			this.audit.claimed(AuditEvent.LOGIN_FAILED, Objects.requireNonNullElse(credentials.userName(), ""), address)
				.text("client", credentials.clientId())
				.word("address", address.getHostAddress())
				.text("reason", verdict.reason())
				.log();
		}
		else if (verdict.result() instanceof Accepted login && !login.authentication().principal().isAnonymous()) {
			this.failures.succeeded(LoginKey.of(credentials));
		}
		return verdict.result();
	}

	/** Ends the threads. Logins in progress have no result. */
	@Override
	public void close() {
		this.threads.close();
	}

}
