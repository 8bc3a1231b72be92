package io.statestore.broker.login;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.login.LoginQueue.Login;
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
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Tests for {@link Logins} and its parts. */
class LoginsTests {

	private final ScheduledExecutorService loop = Executors.newSingleThreadScheduledExecutor();

	private final CountDownLatch verification = new CountDownLatch(1);

	/** Verifies "known" users slowly. The password is the name. */
	private final Authenticator slow = (credentials) -> {
		String user = String.valueOf(credentials.userName());
		if (!user.startsWith("known")) {
			return null;
		}
		awaitLatch(this.verification);
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

	@ParameterizedTest
	@ValueSource(strings = { "known", "unknown" })
	void countsLoginsOfOneKeyUntilTheirAnswer(String user) throws Exception {
		this.verification.countDown();
		BlockingQueue<LoginResult> results = new LinkedBlockingQueue<>();
		HeldLoop held = new HeldLoop();
		for (int i = 0; i < LoginQueue.MAX_OF_KEY; i++) {
			this.logins.verify(credentials("10.0.0.1", user, "x"), held, results::add);
		}
		await().until(() -> this.logins.refused() == LoginQueue.MAX_OF_KEY);
		this.logins.verify(credentials("10.0.0.1", user, "x"), this.loop, results::add);
		assertThat(results.poll(10, TimeUnit.SECONDS)).isEqualTo(Refused.BUSY);
		await().until(() -> held.tasks.size() == LoginQueue.MAX_OF_KEY);
		held.tasks.forEach(Runnable::run);
		assertThat(results).hasSize(LoginQueue.MAX_OF_KEY).containsOnly(Refused.BAD_CREDENTIALS);
		results.clear();
		this.logins.verify(credentials("10.0.0.1", user, "x"), held, results::add);
		await().until(() -> held.tasks.size() == LoginQueue.MAX_OF_KEY + 1);
		held.tasks.get(LoginQueue.MAX_OF_KEY).run();
		assertThat(results).containsExactly(Refused.BAD_CREDENTIALS);
	}

	@Test
	void verifiesDuringSlowVerification() throws Exception {
		this.logins.verify(credentials("10.0.0.1", "known", "known"), this.loop, (result) -> {
		});
		CompletableFuture<LoginResult> other = new CompletableFuture<>();
		this.logins.verify(credentials("10.0.0.1", "unknown", "x"), this.loop, other::complete);
		assertThat(other.get(10, TimeUnit.SECONDS)).isEqualTo(Refused.BAD_CREDENTIALS);
	}

	@Test
	void takesTurnsBetweenSitesAndTheirNames() {
		LoginQueue queue = new LoginQueue();
		for (int i = 0; i < 3; i++) {
			assertThat(queue.offer(login("site", "attacked"))).isNull();
		}
		assertThat(queue.offer(login("site", "valid"))).isNull();
		assertThat(queue.offer(login("other", "any"))).isNull();
		List<String> taken = new ArrayList<>();
		for (Login next = queue.poll(); next != null; next = queue.poll()) {
			taken.add(next.key().name());
		}
		assertThat(taken).containsExactly("attacked", "any", "valid", "attacked", "attacked");
		assertThat(queue.size()).isZero();
	}

	@Test
	void limitsQueueOfSite() {
		LoginQueue queue = new LoginQueue();
		for (int i = 0; i < LoginQueue.MAX_OF_SITE; i++) {
			assertThat(queue.offer(login("a", "name" + i))).isNull();
		}
		Login refused = login("a", "name");
		assertThat(queue.offer(refused)).isSameAs(refused);
		assertThat(queue.offer(login("b", "name"))).isNull();
		while (queue.poll() != null) {
			assertThat(queue.size()).isNotNegative();
		}
		assertThat(queue.size()).isZero();
		assertThat(queue.offer(login("a", "name"))).isNull();
	}

	@Test
	void fullQueueMakesRoomForOtherSites() {
		LoginQueue queue = new LoginQueue();
		int sites = LoginQueue.MAX_LOGINS / LoginQueue.MAX_OF_SITE;
		for (int i = 0; i < LoginQueue.MAX_LOGINS; i++) {
			assertThat(queue.offer(login("flood" + i % sites, "name" + i))).isNull();
		}
		for (int i = 0; i < 10; i++) {
			assertThat(queue.offer(login("valid", "name" + i))).isNotNull()
				.extracting((login) -> login.key().site())
				.asString()
				.startsWith("flood");
		}
		assertThat(queue.size()).isEqualTo(LoginQueue.MAX_LOGINS);
	}

	@Test
	void answersLoginThatLostItsPlace() throws Exception {
		BlockingQueue<LoginResult> results = new LinkedBlockingQueue<>();
		for (int i = 0; i < LoginQueue.MAX_LOGINS + 10; i++) {
			this.logins.verify(credentials("10.0.0." + i % 4, "known" + i, "x"), this.loop, results::add);
		}
		await().until(() -> results.size() >= 6);
		results.clear();
		CompletableFuture<LoginResult> valid = new CompletableFuture<>();
		this.logins.verify(credentials("10.0.1.1", "known", "known"), this.loop, valid::complete);
		assertThat(results.poll(10, TimeUnit.SECONDS)).isEqualTo(Refused.BUSY);
		this.verification.countDown();
		assertThat(valid.get(10, TimeUnit.SECONDS)).isInstanceOf(Accepted.class);
	}

	@Test
	void doublesDelayUntilSuccess() {
		LoginFailures failures = new LoginFailures(() -> 0);
		LoginKey key = key("a", "ada");
		assertThat(failures.failed(key)).hasMillis(500);
		assertThat(failures.failed(key)).hasMillis(1_000);
		assertThat(failures.failed(key("a", "bob"))).hasMillis(500);
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
			failures.failed(key("a", "name" + i));
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

	@ParameterizedTest
	@CsvSource(textBlock = """
			10.0.0.1,      10.0.0.2,        false
			2001:db8:1::1, 2001:db8:1:9::2, true
			2001:db8:1::1, 2001:db8:2::1,   false
			""")
	void groupsAddressesOfOneSite(String first, String second, boolean same) throws Exception {
		LoginKey key = LoginKey.of(credentials(first, "ada", "x"));
		assertThat(key.site().equals(LoginKey.of(credentials(second, "ada", "x")).site())).isEqualTo(same);
	}

	private static LoginKey key(String address, String name) {
		return new LoginKey(address, address, name);
	}

	private static Login login(String site, String name) {
		return new Login(key(site, name), () -> {
		}, () -> {
		});
	}

	private static void awaitLatch(CountDownLatch latch) throws AuthenticationException {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new AuthenticationException("interrupted");
		}
	}

	// NullAway ignores that array components of records are nullable.
	@SuppressWarnings("NullAway")
	private static Credentials credentials(String address, @Nullable String user, @Nullable String password)
			throws Exception {
		return new Credentials("c1", user, (password != null) ? password.getBytes(StandardCharsets.UTF_8) : null, null,
				null, List.of(), InetAddress.getByName(address));
	}

	/** Keeps delayed tasks until the test runs them. */
	private static final class HeldLoop extends ScheduledThreadPoolExecutor {

		private final List<Runnable> tasks = new CopyOnWriteArrayList<>();

		HeldLoop() {
			super(0);
		}

		@Override
		public void execute(Runnable task) {
			task.run();
		}

		@Override
		public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
			this.tasks.add(task);
			return super.schedule(() -> {
			}, 1, TimeUnit.DAYS);
		}

	}

}
