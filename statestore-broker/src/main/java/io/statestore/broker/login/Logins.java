package io.statestore.broker.login;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.statestore.broker.login.LoginQueue.Login;
import io.statestore.broker.login.LoginResult.Accepted;
import io.statestore.broker.login.LoginResult.Refused;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.AuditEvent;
import io.statestore.broker.security.AuditLine;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.security.Authentication;
import io.statestore.broker.security.AuthenticationException;
import io.statestore.broker.security.Authenticator;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.security.Credentials;
import io.statestore.broker.security.ImmediateAuthenticator;
import io.statestore.broker.security.ImmediateAuthenticator.Decision;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logins of the clients of one broker. Verifies credentials on a few threads of its own,
 * because that may take long, for each address and user name in turn. Correct credentials
 * are never delayed. Refusals of wrong ones are delayed, longer with each failure,
 * whether or not the name is known. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public final class Logins implements AutoCloseable {

	/** Minimum number of threads, so that one slow verification does not stop all. */
	private static final int MIN_THREADS = 2;

	private static final int MAX_THREADS = 4;

	private static final long IDLE_SECONDS = 10;

	private static final Logger logger = LoggerFactory.getLogger(Logins.class);

	private final List<Authenticator> authenticators;

	private final AnonymousAccess anonymous;

	private final LongSupplier nanoClock;

	private final LoginQueue queue = new LoginQueue();

	private final LoginFailures failures;

	private final DelayedRefusals refusals = new DelayedRefusals();

	private final AuditLog audit = new AuditLog();

	private final ThreadPoolExecutor threads;

	private final LongAdder accepted = new LongAdder();

	private final LongAdder refused = new LongAdder();

	/**
	 * Creates logins.
	 * @param authenticators verify credentials, in their order
	 * @param anonymous the clients that may connect without credentials
	 */
	public Logins(List<Authenticator> authenticators, AnonymousAccess anonymous) {
		this(authenticators, anonymous, System::nanoTime);
	}

	Logins(List<Authenticator> authenticators, AnonymousAccess anonymous, LongSupplier nanoClock) {
		this.authenticators = List.copyOf(authenticators);
		this.anonymous = anonymous;
		this.nanoClock = nanoClock;
		this.failures = new LoginFailures(nanoClock);
		// On larger machines, half of the processors remain for connected clients.
		int size = Math.max(MIN_THREADS, Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors() / 2));
		this.threads = new ThreadPoolExecutor(size, size, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				(task) -> {
					Thread thread = new Thread(task, "statestore-login");
					thread.setDaemon(true);
					return thread;
				});
		this.threads.allowCoreThreadTimeOut(true);
	}

	/**
	 * Returns the number of clients that have logged in, including each
	 * re-authentication.
	 * @return the number since the start
	 */
	public long accepted() {
		return this.accepted.sum();
	}

	/**
	 * Returns the number of refused logins.
	 * @return the number since the start
	 */
	public long refused() {
		return this.refused.sum();
	}

	/**
	 * Counts and reports a client that has logged in. Has no effect if it is anonymous.
	 * @param client the client
	 * @param address its address
	 */
	public void admitted(Client client, InetAddress address) {
		if (!client.principal().isAnonymous()) {
			this.accepted.increment();
			line(AuditEvent.LOGIN, client, address).log();
		}
	}

	/**
	 * Counts and reports a client that is refused although its credentials are correct.
	 * @param client the client
	 * @param address its address
	 * @param reason the reason, for the audit log
	 */
	public void rejected(Client client, InetAddress address, String reason) {
		this.refused.increment();
		line(AuditEvent.LOGIN_FAILED, client, address).text("reason", reason).log();
	}

	private AuditLine line(AuditEvent event, Client client, InetAddress address) {
		return this.audit.line(event, client.principal()).text("client", client.clientId()).address(address);
	}

	/**
	 * Decides about credentials without blocking, if that is possible.
	 * @param credentials what the client presents
	 * @return the result, or {@code null} if {@link #verify} has to determine it
	 */
	public @Nullable LoginResult decide(Credentials credentials) {
		for (Authenticator authenticator : this.authenticators) {
			Decision decision = (authenticator instanceof ImmediateAuthenticator immediate)
					? immediate.decide(credentials) : null;
			if (decision == null) {
				return null;
			}
			Authentication authentication = decision.authentication();
			if (authentication != null) {
				return accept(credentials, authentication);
			}
		}
		return isGuess(credentials) ? null : unclaimed(credentials);
	}

	/**
	 * Verifies credentials.
	 * @param credentials what the client presents
	 * @param loop event loop of the connection
	 * @param done receives the result on the event loop, possibly after a delay
	 */
	public void verify(Credentials credentials, ScheduledExecutorService loop, Consumer<LoginResult> done) {
		verify(credentials, loop, () -> {
		}, done);
	}

	/**
	 * Verifies credentials.
	 * @param credentials what the client presents
	 * @param loop event loop of the connection
	 * @param wrong called on the event loop as soon as the credentials are known to be
	 * wrong, before the delay of the result
	 * @param done receives the result on the event loop, possibly after a delay
	 */
	public void verify(Credentials credentials, ScheduledExecutorService loop, Runnable wrong,
			Consumer<LoginResult> done) {
		LoginKey key = LoginKey.of(credentials);
		Login turnedAway = this.queue
			.offer(new Login(key, () -> verifyAndAnswer(key, credentials, loop, wrong, done), () -> {
				LoginResult busy = refuse(credentials, Refused.BUSY, "too many logins wait for verification");
				execute(loop, () -> done.accept(busy));
			}));
		if (turnedAway != null) {
			turnedAway.refusal().run();
		}
		execute(this.threads, this::verifyNext);
	}

	private void verifyAndAnswer(LoginKey key, Credentials credentials, ScheduledExecutorService loop, Runnable wrong,
			Consumer<LoginResult> done) {
		// The time in the queue does not count: under load, it would replace the delay.
		long start = this.nanoClock.getAsLong();
		LoginResult result = verify(credentials);
		Runnable answer = () -> {
			this.queue.answered(key);
			done.accept(result);
		};
		if (result == Refused.BAD_CREDENTIALS) {
			execute(loop, wrong);
			Duration elapsed = Duration.ofNanos(this.nanoClock.getAsLong() - start);
			Duration remaining = this.failures.failed(key).minus(elapsed);
			this.refusals.add(loop, remaining.isNegative() ? Duration.ZERO : remaining, answer);
		}
		else {
			execute(loop, answer);
		}
	}

	private static void execute(Executor executor, Runnable task) {
		try {
			executor.execute(task);
		}
		catch (RejectedExecutionException ex) {
			// The broker is stopping, which ends the connection.
		}
	}

	private void verifyNext() {
		Login login = this.queue.poll();
		if (login != null) {
			login.verification().run();
		}
	}

	private LoginResult verify(Credentials credentials) {
		try {
			for (Authenticator authenticator : this.authenticators) {
				Authentication authentication = authenticator.authenticate(credentials);
				if (authentication != null) {
					return accept(credentials, authentication);
				}
			}
			return unclaimed(credentials);
		}
		catch (AuthenticationException ex) {
			return refuse(credentials, Refused.BAD_CREDENTIALS, ex.getMessage());
		}
		catch (RuntimeException | Error ex) {
			logger.error("Failed to verify the credentials of client '{}'", credentials.clientId(), ex);
			return refuse(credentials, Refused.UNAVAILABLE, "an authenticator failed");
		}
	}

	private LoginResult accept(Credentials credentials, Authentication authentication) {
		Instant expiresAt = authentication.expiresAt();
		if (expiresAt != null && !expiresAt.isAfter(Instant.now())) {
			return refuse(credentials, Refused.BAD_CREDENTIALS, "the authentication has expired");
		}
		if (!authentication.principal().isAnonymous()) {
			this.failures.succeeded(LoginKey.of(credentials));
		}
		return new Accepted(authentication);
	}

	/** Returns whether the client may try another user name or password. */
	private boolean isGuess(Credentials credentials) {
		return credentials.userName() != null && credentials.method() == null && !this.authenticators.isEmpty();
	}

	/** Decides about credentials for which no authenticator is responsible. */
	private LoginResult unclaimed(Credentials credentials) {
		if (credentials.method() != null) {
			return refuse(credentials, Refused.UNKNOWN_METHOD,
					"the authentication method '" + credentials.method() + "' is not supported");
		}
		if (isGuess(credentials)) {
			return refuse(credentials, Refused.BAD_CREDENTIALS, "unknown user");
		}
		if (this.anonymous == AnonymousAccess.ALL
				|| (this.anonymous == AnonymousAccess.LOOPBACK && credentials.address().isLoopbackAddress())) {
			return new Accepted(new Authentication(ClientPrincipal.ANONYMOUS, null));
		}
		return this.authenticators.isEmpty()
				? refuse(credentials, Refused.ADDRESS_NOT_PERMITTED, "this address requires a login")
				: refuse(credentials, Refused.LOGIN_REQUIRED, "no credentials");
	}

	private LoginResult refuse(Credentials credentials, Refused result, @Nullable String reason) {
		this.refused.increment();
		InetAddress address = credentials.address();
		this.audit.claimed(AuditEvent.LOGIN_FAILED, Objects.requireNonNullElse(credentials.userName(), ""), address)
			.text("client", credentials.clientId())
			.word("address", address.getHostAddress())
			.text("reason", reason)
			.log();
		return result;
	}

	/** Ends the threads. Logins in progress have no result. */
	@Override
	public void close() {
		this.threads.shutdownNow();
	}

}
