package io.statestore.broker.login;

import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
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
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Tests for {@link Logins} and its parts. */
@Isolated("looks at all threads")
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

	private final Logins logins = logins(AnonymousAccess.NONE, new Account("ada", "secret"), this.slow);

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
		try (Logins logins = logins(access)) {
			LoginResult result = logins.decide(credentials(address, null, null));
			assertThat(result instanceof Accepted).isEqualTo(accepted);
			if (!accepted) {
				assertThat(result).isEqualTo(Refused.ADDRESS_NOT_PERMITTED);
			}
		}
	}

	@Test
	void ignoresUserNameWithoutAuthenticators() throws Exception {
		try (Logins logins = logins(AnonymousAccess.LOOPBACK)) {
			assertThat(logins.decide(credentials("127.0.0.1", "any", "x"))).isInstanceOf(Accepted.class);
		}
	}

	@Test
	void refusesUnknownUserWhenAnonymousClientsAreAccepted() throws Exception {
		try (Logins logins = logins(AnonymousAccess.ALL, new Account("ada", "secret"))) {
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
		// Only a few refusals wait: the oldest waiting refusals make room for others.
		await().until(() -> refused.get() >= 10_000 - DelayedRefusals.MAX_WAITING);
	}

	@Test
	void acceptsManySimultaneousLoginsByOneUser() throws Exception {
		BlockingQueue<LoginResult> results = new LinkedBlockingQueue<>();
		for (int i = 0; i < 200; i++) {
			this.logins.verify(credentials("10.0.0.1", "known", "known"), this.loop, results::add);
		}
		this.verification.countDown();
		await().until(() -> results.size() == 200);
		assertThat(results).hasOnlyElementsOfType(Accepted.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { "known", "unknown" })
	void limitsDelayedRefusalsPerKey(String user) throws Exception {
		this.verification.countDown();
		BlockingQueue<LoginResult> results = new LinkedBlockingQueue<>();
		HeldLoop held = new HeldLoop();
		for (int i = 0; i < DelayedRefusals.MAX_OF_KEY; i++) {
			this.logins.verify(credentials("10.0.0.1", user, "x"), held, results::add);
		}
		await().until(() -> this.logins.refused() == DelayedRefusals.MAX_OF_KEY);
		assertThat(results).isEmpty();
		for (int i = 0; i < 3; i++) {
			this.logins.verify(credentials("10.0.0.1", user, "x"), held, results::add);
			assertThat(results.poll(10, TimeUnit.SECONDS)).isEqualTo(Refused.BAD_CREDENTIALS);
		}
		held.tasks.forEach(Runnable::run);
		assertThat(results).hasSize(DelayedRefusals.MAX_OF_KEY).containsOnly(Refused.BAD_CREDENTIALS);
	}

	@Test
	void answersLoginsNotVerifiedInTime() throws Exception {
		BlockingQueue<LoginResult> results = new LinkedBlockingQueue<>();
		HeldLoop held = new HeldLoop();
		for (int i = 0; i < 10; i++) {
			this.logins.verify(credentials("10.0.0.1", "known" + i, "known" + i), held, results::add);
		}
		held.tasks.forEach(Runnable::run);
		assertThat(results).hasSize(10).containsOnly(Refused.UNAVAILABLE);
		assertThat(this.logins.refused()).isEqualTo(10);
		CompletableFuture<LoginResult> other = new CompletableFuture<>();
		this.logins.verify(credentials("10.0.0.1", "unknown", "x"), this.loop, other::complete);
		assertThat(other.get(10, TimeUnit.SECONDS)).isEqualTo(Refused.BAD_CREDENTIALS);
		this.verification.countDown();
		assertThat(this.logins.refused()).isEqualTo(11);
	}

	@Test
	void replacesLimitedNumberOfThreads() throws Exception {
		BlockingQueue<LoginResult> results = new LinkedBlockingQueue<>();
		HeldLoop held = new HeldLoop();
		for (int i = 0; i < 100; i++) {
			this.logins.verify(credentials("10.0.0.1", "known" + i, "known" + i), held, results::add);
			held.tasks.get(i).run();
		}
		assertThat(results).hasSize(100).containsOnly(Refused.UNAVAILABLE);
		assertThat(Thread.getAllStackTraces().keySet())
			.filteredOn((thread) -> thread.getName().startsWith("statestore-login"))
			.hasSizeLessThanOrEqualTo(2 * (LoginThreads.MAX_REPLACED + 4));
		this.verification.countDown();
		for (int i = 0; i < 100; i++) {
			this.logins.verify(credentials("10.0.0.1", "known", "known"), this.loop, results::add);
		}
		await().until(() -> results.size() == 200);
		assertThat(results.stream().skip(100)).hasOnlyElementsOfType(Accepted.class);
	}

	@Test
	void replacesThreadsVerifyingDepartedClients() throws Exception {
		Semaphore verifying = new Semaphore(0);
		HeldLoop held = new HeldLoop();
		try (Logins logins = logins(AnonymousAccess.NONE, (credentials) -> {
			verifying.release();
			awaitLatch(this.verification);
			return null;
		})) {
			for (int i = 0; i < LoginThreads.MAX_REPLACED; i++) {
				Runnable end = logins.verify(credentials("10.0.0.1", "user" + i, "x"), 1, held, () -> {
				}, (result) -> {
				});
				assertThat(verifying.tryAcquire(10, TimeUnit.SECONDS)).as("verification of login %s", i).isTrue();
				end.run();
				held.tasks.get(i).run();
			}
		}
	}

	@Test
	void forgetsCredentialsBeforeDelayedRefusal() throws Exception {
		this.verification.countDown();
		List<Runnable> kept = new ArrayList<>();
		BlockingQueue<LoginResult> results = new LinkedBlockingQueue<>();
		HeldLoop held = new HeldLoop();
		WeakReference<Credentials> reference = verifyAndForget(held, results, kept);
		await().until(() -> this.logins.refused() == 1);
		await().until(() -> {
			System.gc();
			return reference.get() == null;
		});
		assertThat(results).isEmpty();
		assertThat(held.tasks).hasSize(2);
		assertThat(kept).hasSize(1);
	}

	private WeakReference<Credentials> verifyAndForget(HeldLoop held, BlockingQueue<LoginResult> results,
			List<Runnable> kept) throws Exception {
		Credentials credentials = credentials("10.0.0.1", "known", "x");
		kept.add(this.logins.verify(credentials, 1, held, () -> {
		}, results::add));
		return new WeakReference<>(credentials);
	}

	@Test
	void doesNotVerifyLoginOfDepartedClient() throws Exception {
		BlockingQueue<String> verified = new LinkedBlockingQueue<>();
		try (Logins logins = logins(AnonymousAccess.NONE, (credentials) -> {
			awaitLatch(this.verification);
			verified.add(credentials.clientId());
			return Authentication.of("any");
		})) {
			List<Runnable> ends = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				ends.add(logins.verify(credentials("10.0.0.1", "user" + i, "x"), 1, this.loop, () -> {
				}, (result) -> {
				}));
			}
			ends.forEach(Runnable::run);
			this.verification.countDown();
			CompletableFuture<LoginResult> next = new CompletableFuture<>();
			logins.verify(credentials("10.0.0.1", "user", "x"), this.loop, next::complete);
			next.get(10, TimeUnit.SECONDS);
			assertThat(verified).hasSizeLessThan(10);
		}
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
	void verifiesRareNamesAndAddressesFirst() throws Exception {
		LoginQueue queue = new LoginQueue(Long.MAX_VALUE);
		for (String name : List.of("attacked", "attacked", "attacked", "valid")) {
			assertThat(queue.offer(login("10.0.0.1", name))).isEmpty();
		}
		assertThat(queue.offer(login("10.0.0.2", "any"))).isEmpty();
		List<String> taken = new ArrayList<>();
		for (PendingLogin next = queue.poll(); next != null; next = queue.poll()) {
			taken.add(next.key().name());
		}
		assertThat(taken).containsExactly("attacked", "any", "valid", "attacked", "attacked");
		assertThat(queue.size()).isZero();
	}

	@Test
	void fullQueueMakesRoomForOtherAddressesAndNames() throws Exception {
		LoginQueue queue = new LoginQueue(Long.MAX_VALUE);
		for (int i = 0; i < LoginQueue.MAX_LOGINS; i++) {
			assertThat(queue.offer(login("10.0.0.1", "name" + i % 2_000))).isEmpty();
		}
		for (int i = 0; i < 10; i++) {
			assertThat(queue.offer(login("10.0.1.1", "name" + i))).singleElement()
				.extracting((login) -> login.key().address())
				.isEqualTo("10.0.0.1");
			assertThat(queue.offer(login("10.0.0.1", "other" + i))).singleElement()
				.extracting((login) -> login.key().name())
				.asString()
				.startsWith("name");
		}
		assertThat(queue.size()).isEqualTo(LoginQueue.MAX_LOGINS);
	}

	@Test
	void refusesLoginBeyondKeyLimit() throws Exception {
		LoginQueue queue = new LoginQueue(Long.MAX_VALUE);
		for (int i = 0; i < LoginQueue.MAX_OF_KEY; i++) {
			assertThat(queue.offer(login("10.0.0.1", "attacked"))).isEmpty();
		}
		PendingLogin refused = login("10.0.0.1", "attacked");
		assertThat(queue.offer(refused)).containsExactly(refused);
		queue.remove(refused);
		assertThat(queue.offer(login("10.0.0.2", "attacked"))).isEmpty();
		queue.remove(Objects.requireNonNull(queue.poll()));
		assertThat(queue.offer(refused)).isEmpty();
	}

	@Test
	void exhaustedMemoryMakesRoomForOtherAddresses() throws Exception {
		LoginQueue queue = new LoginQueue(100);
		for (int i = 0; i < 9; i++) {
			assertThat(queue.offer(login("10.0.0.1", "name" + i, 10))).isEmpty();
		}
		PendingLogin verified = queue.poll();
		assertThat(queue.offer(login("10.0.0.2", "ada", 30))).hasSize(2)
			.allMatch((login) -> login.key().address().equals("10.0.0.1"));
		assertThat(queue.offer(login("10.0.0.3", "ada", 10))).hasSize(1);
		PendingLogin large = login("10.0.0.4", "ada", 1_000);
		assertThat(queue.offer(large)).contains(large);
		queue.remove(Objects.requireNonNull(verified));
		queue.remove(verified);
		assertThat(queue.offer(login("10.0.0.5", "ada", 10))).isEmpty();
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
	void delaysRefusalsLongerThanVerifications() {
		LoginFailures failures = new LoginFailures(() -> 0);
		failures.verified(Duration.ofMillis(100));
		assertThat(failures.failed(key("a", "ada"))).hasMillis(500);
		failures.verified(Duration.ofMillis(700));
		failures.verified(Duration.ofMillis(1));
		assertThat(failures.failed(key("a", "unknown"))).hasMillis(1_400);
		failures.verified(Duration.ofHours(1));
		assertThat(failures.failed(key("a", "unknown"))).isEqualTo(LoginFailures.MAX_DELAY);
	}

	@Test
	void boundsFailureMemory() {
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
	void groupsAddressesFromOneMachine(String first, String second, boolean same) throws Exception {
		assertThat(LoginKey.of(credentials(first, "ada", "x")).equals(LoginKey.of(credentials(second, "ada", "x"))))
			.isEqualTo(same);
	}

	// Array components of records are nullable.
	@SuppressWarnings("NullAway")
	@Test
	void separatesClientsWithoutUserName() throws Exception {
		InetAddress address = InetAddress.getByName("10.0.0.1");
		assertThat(LoginKey.of(new Credentials("c1", null, null, null, null, List.of(), address)))
			.isNotEqualTo(LoginKey.of(new Credentials("c2", null, null, null, null, List.of(), address)));
	}

	private static LoginKey key(String address, String name) {
		return new LoginKey(address, name);
	}

	private PendingLogin login(String site, String name) throws Exception {
		return login(site, name, 1);
	}

	private PendingLogin login(String site, String name, long bytes) throws Exception {
		return new PendingLogin(credentials(site, name, "x"), bytes, this.loop, () -> {
		}, (result) -> {
		});
	}

	private static Logins logins(AnonymousAccess anonymous, Authenticator... authenticators) {
		return new Logins(List.of(authenticators), anonymous, TimeSource.SYSTEM, Long.MAX_VALUE);
	}

	private static void awaitLatch(CountDownLatch latch) throws AuthenticationException {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new AuthenticationException("interrupted");
		}
	}

	// Array components of records are nullable.
	@SuppressWarnings("NullAway")
	private static Credentials credentials(String address, @Nullable String user, @Nullable String password)
			throws Exception {
		return new Credentials("c1", user, (password != null) ? password.getBytes(StandardCharsets.UTF_8) : null, null,
				null, List.of(), InetAddress.getByName(address));
	}

	/**
	 * Keeps delayed tasks until the test runs them. Running a canceled task has no
	 * effect.
	 */
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
			RunnableScheduledFuture<?> held = (RunnableScheduledFuture<?>) super.schedule(task, 1, TimeUnit.DAYS);
			this.tasks.add(held);
			return held;
		}

	}

}
