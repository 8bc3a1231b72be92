package io.statestore.broker.login;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.login.LoginResult.Accepted;
import io.statestore.broker.login.LoginResult.Refused;
import io.statestore.broker.security.Account;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.Authentication;
import io.statestore.broker.security.AuthenticationException;
import io.statestore.broker.security.Authenticator;
import io.statestore.broker.security.Credentials;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Tests for {@link Logins} and its parts. */
class LoginsTests {

	private final ScheduledExecutorService loop = Executors.newSingleThreadScheduledExecutor();

	private final CountDownLatch verification = new CountDownLatch(1);

	private final BlockingQueue<String> verified = new LinkedBlockingQueue<>();

	/** Verifies "known" users slowly. The password is the name. */
	private final Authenticator slow = (credentials) -> {
		String user = String.valueOf(credentials.userName());
		if (!user.startsWith("known")) {
			return null;
		}
		awaitLatch(this.verification);
		this.verified.add(user);
		if (!new String(credentials.password(), StandardCharsets.UTF_8).equals(user)) {
			throw new AuthenticationException("wrong password");
		}
		return Authentication.of(user);
	};

	private final Logins logins = new Logins(List.of(new Account("ada", "secret"), this.slow), AnonymousAccess.NONE);

	@AfterEach
	void close() {
		this.logins.close();
		this.loop.shutdownNow();
	}

	@ParameterizedTest
	@CsvSource(textBlock = """
			NONE,     127.0.0.1,   false
			LOOPBACK, 127.0.0.1,   true
			LOOPBACK, ::1,         true
			LOOPBACK, 192.168.1.9, false
			LOOPBACK, fe80::1,     false
			ALL,      192.168.1.9, true
			""")
	void acceptsAnonymousClientsByAddress(AnonymousAccess access, String address, boolean accepted) throws Exception {
		try (Logins logins = new Logins(List.of(), access)) {
			LoginResult result = logins.decide(credentials(address, null, null));
			assertThat(result instanceof Accepted).isEqualTo(accepted);
			if (!accepted) {
				assertThat(result).isEqualTo(Refused.ADDRESS_NOT_PERMITTED);
			}
		}
	}

	@Test
	void ignoresUserNameWithoutAuthenticators() throws Exception {
		try (Logins logins = new Logins(List.of(), AnonymousAccess.LOOPBACK)) {
			assertThat(logins.decide(credentials("127.0.0.1", "any", "x"))).isInstanceOf(Accepted.class);
		}
	}

	@Test
	void refusesUnknownUserEvenIfAnonymousClientsAreAccepted() throws Exception {
		try (Logins logins = new Logins(List.of(new Account("ada", "secret")), AnonymousAccess.ALL)) {
			assertThat(logins.decide(credentials("127.0.0.1", null, null))).isInstanceOf(Accepted.class);
			assertThat(logins.decide(credentials("127.0.0.1", "bob", "x"))).isNull();
			CompletableFuture<LoginResult> result = new CompletableFuture<>();
			logins.verify(credentials("127.0.0.1", "bob", "x"), this.loop, result::complete);
			assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo(Refused.BAD_CREDENTIALS);
		}
	}

	@Test
	void acceptsKnownUserDuringTenThousandFailures() throws Exception {
		AtomicInteger refused = new AtomicInteger();
		for (int i = 0; i < 10_000; i++) {
			this.logins.verify(credentials("10.0.0." + (i % 20), "known" + (i % 1000), "x"), this.loop,
					(result) -> refused.incrementAndGet());
		}
		assertThat(this.logins.decide(credentials("10.0.0.1", "ada", "secret"))).isInstanceOf(Accepted.class);
		assertThat(this.logins.refused()).isGreaterThan(5_000);
		this.verification.countDown();
		await().until(() -> this.logins.refused() == 10_000);
		// Few wait. The first ones of the waiting refusals make room for others.
		await().until(() -> refused.get() >= 10_000 - DelayedRefusals.MAX_WAITING);
	}

	@Test
	void takesTurnsBetweenNamesOfOneAddress() throws Exception {
		for (int i = 0; i < 100; i++) {
			this.logins.verify(credentials("10.0.0.1", "known-attacked", "x"), this.loop, (result) -> {
			});
		}
		CompletableFuture<LoginResult> result = new CompletableFuture<>();
		this.logins.verify(credentials("10.0.0.1", "known-valid", "known-valid"), this.loop, result::complete);
		this.verification.countDown();
		assertThat(result.get(10, TimeUnit.SECONDS)).isInstanceOf(Accepted.class);
		assertThat(new ArrayList<>(this.verified).subList(0, 3)).contains("known-valid");
	}

	@Test
	void refusesFurtherLoginsOfOneKeyWhileManyWait() throws Exception {
		BlockingQueue<LoginResult> results = new LinkedBlockingQueue<>();
		for (int i = 0; i < LoginQueue.MAX_OF_KEY + 10; i++) {
			this.logins.verify(credentials("10.0.0.1", "known", "x"), this.loop, results::add);
		}
		assertThat(results.poll(10, TimeUnit.SECONDS)).isEqualTo(Refused.BUSY);
		CompletableFuture<LoginResult> other = new CompletableFuture<>();
		this.logins.verify(credentials("10.0.0.1", "known2", "known2"), this.loop, other::complete);
		this.verification.countDown();
		assertThat(other.get(10, TimeUnit.SECONDS)).isInstanceOf(Accepted.class);
	}

	@Test
	void limitsQueueOfAddress() {
		LoginQueue queue = new LoginQueue();
		int added = 0;
		for (int i = 0; i < 2_000; i++) {
			added += queue.offer(new LoginKey("a", "name" + i), () -> {
			}) ? 1 : 0;
		}
		assertThat(added).isEqualTo(LoginQueue.MAX_OF_ADDRESS);
		assertThat(queue.offer(new LoginKey("b", "name"), () -> {
		})).isTrue();
		while (queue.poll() != null) {
			added--;
		}
		assertThat(added).isEqualTo(-1);
		assertThat(queue.size()).isZero();
		assertThat(queue.offer(new LoginKey("a", "name"), () -> {
		})).isTrue();
	}

	@Test
	void doublesDelayUntilSuccess() {
		LoginFailures failures = new LoginFailures(() -> 0);
		LoginKey key = new LoginKey("a", "ada");
		assertThat(failures.failed(key)).hasMillis(500);
		assertThat(failures.failed(key)).hasMillis(1_000);
		assertThat(failures.failed(new LoginKey("a", "bob"))).hasMillis(500);
		for (int i = 0; i < 100; i++) {
			failures.failed(key);
		}
		assertThat(failures.failed(key)).isEqualTo(LoginFailures.MAX_DELAY);
		failures.succeeded(key);
		assertThat(failures.failed(key)).hasMillis(500);
	}

	@Test
	void boundsMemoryOfFailures() {
		LoginFailures failures = new LoginFailures(() -> 0);
		for (int i = 0; i < 50_000; i++) {
			failures.failed(new LoginKey("a", "name" + i));
		}
		assertThat(failures.size()).isEqualTo(LoginFailures.MAX_KEYS);
	}

	@ParameterizedTest
	@CsvSource(textBlock = """
			10.0.0.1,      10.0.0.2,      false
			2001:db8::1,   2001:db8::2,   true
			2001:db8:1::1, 2001:db8:2::1, false
			""")
	void groupsAddressesOfOneMachine(String first, String second, boolean same) throws Exception {
		assertThat(LoginKey.of(credentials(first, "ada", "x")).equals(LoginKey.of(credentials(second, "ada", "x"))))
			.isEqualTo(same);
	}

	private static void awaitLatch(CountDownLatch latch) throws AuthenticationException {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new AuthenticationException("interrupted");
		}
	}

	@SuppressWarnings("NullAway") // Ignores that array components of records are
									// nullable.
	private static Credentials credentials(String address, @Nullable String user, @Nullable String password)
			throws Exception {
		return new Credentials("c1", user, (password != null) ? password.getBytes(StandardCharsets.UTF_8) : null, null,
				null, List.of(), InetAddress.getByName(address));
	}

}
