package io.statestore.cli;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.gateway.StateStoreGateway;
import io.statestore.cli.Cli.Result;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.protocol.AdministrationAccess;
import io.statestore.test.Mosquitto;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The commands locks and leader, against the broker and the gateway. */
@Timeout(120)
@ParameterizedClass
@MethodSource("servers")
class LockCommandsTests {

	private static final AtomicReference<Mosquitto> mosquitto = new AtomicReference<>();

	private static final AtomicReference<StateStoreGateway> gateway = new AtomicReference<>();

	private static final AtomicReference<StateStoreBroker> broker = new AtomicReference<>();

	private final Cli cli;

	private final int port;

	private final String role = "role-" + UUID.randomUUID();

	private Session session;

	LockCommandsTests(String server) {
		this.port = server.equals("broker") ? brokerPort() : gatewayPort();
		this.cli = Cli.on(this.port).with("STATESTORE_AS", "operator");
	}

	static Stream<String> servers() {
		return Stream.of("broker", "gateway");
	}

	private static int brokerPort() {
		if (broker.get() == null) {
			broker.set(StateStoreBroker.builder().start());
		}
		return broker.get().port();
	}

	private static int gatewayPort() {
		if (mosquitto.get() == null) {
			mosquitto.set(Mosquitto.start());
			gateway.set(StateStoreGateway.builder()
				.host("127.0.0.1")
				.port(mosquitto.get().port())
				.administration(true)
				.start());
		}
		return mosquitto.get().port();
	}

	@AfterAll
	static void stop() {
		for (AutoCloseable server : new AutoCloseable[] { gateway.getAndSet(null), mosquitto.getAndSet(null),
				broker.getAndSet(null) }) {
			if (server != null) {
				try {
					server.close();
				}
				catch (Exception ex) {
					throw new IllegalStateException(ex);
				}
			}
		}
	}

	@BeforeEach
	void connect() {
		this.session = session("oven-1");
	}

	@AfterEach
	void close() {
		this.session.close();
	}

	private Session session(String clientId) {
		return new Session(ConnectionOptions.builder()
			.host("127.0.0.1")
			.port(this.port)
			.clientId(clientId + '-' + this.role)
			.build());
	}

	private static StateStoreLockRegistry registry(Session session, String holder) {
		return session.locks(LockOptions.DEFAULT.withHolderName(holder));
	}

	@Test
	void listsLockWithTokenTimeLeftAndWaiters() throws Exception {
		FencedLock lock = registry(this.session, "oven-1").obtain(this.role);
		lock.lock();
		try (Session other = session("oven-2")) {
			StateStoreLockRegistry waiting = registry(other, "oven-2");
			Thread waiter = new Thread(() -> waiting.obtain(this.role).lock());
			waiter.setDaemon(true);
			waiter.start();
			await().untilAsserted(() -> {
				Result result = this.cli.run("locks", this.role, "-o", "json");
				assertThat(result.err()).isEmpty();
				assertThat(result.exitCode()).isZero();
				assertThat(result.out())
					.contains("\"key\":\"" + this.role + "\"", "\"holder\":\"oven-1\"", "\"client\":\"oven-1-",
							"\"token\":\"" + lock.tenure().token() + "\"", "\"waiters\":1", "\"next\":\"oven-2-")
					.containsPattern("\"left\":[12]\\d\\.");
			});
			waiting.stop();
		}
		lock.unlock();
		assertThat(this.cli.run("locks", this.role).out()).isEmpty();
	}

	@Test
	void listsSeveralLocksAsTable() {
		List<FencedLock> locks = Stream.of("a", "b").map((name) -> {
			FencedLock lock = registry(this.session, name).obtain(this.role + '/' + name);
			lock.lock();
			return lock;
		}).toList();
		this.session.template().set(this.role + "/data", "x");

		String out = this.cli.run("locks", this.role + "/*").out();

		assertThat(out.lines()).hasSize(3);
		assertThat(out).startsWith("KEY").contains(this.role + "/a", this.role + "/b").doesNotContain("/data");
		locks.forEach(FencedLock::unlock);
	}

	@Test
	void showsLeaderAndEndsItsTerm() throws Exception {
		try (Session other = session("oven-2")) {
			Baker first = new Baker(this.role);
			Baker second = new Baker(this.role);
			StateStoreLeaderInitiator one = start(registry(this.session, "oven-1").obtain(this.role), first);
			first.granted.await();
			StateStoreLeaderInitiator two = start(registry(other, "oven-2").obtain(this.role), second);

			assertThat(this.cli.run("leader", "-o", "json").out()).contains("\"role\":\"" + this.role + "\"",
					"\"leader\":\"oven-1\"");
			Result shown = this.cli.run("leader", this.role, "-o", "json");
			assertThat(shown.out()).contains("\"leader\":\"oven-1\"",
					"\"token\":\"" + one.context().orElseThrow().token() + "\"");
			await().until(() -> this.cli.run("leader", this.role, "-o", "json").out().contains("\"candidates\":1"));

			Result result = this.cli.run("leader", "yield", this.role, "--wait", "60s", "-o", "json");

			assertThat(result.exitCode()).isZero();
			assertThat(result.err()).contains("oven-1 no longer leads '" + this.role + "'");
			assertThat(result.out()).contains("\"leader\":\"oven-2\"");
			first.revoked.await();
			second.granted.await();
			assertThat(two.context().orElseThrow().token().version()).hasToString(token(result.out()));
			two.stop();
			one.stop();
		}
	}

	private static String token(String json) {
		int start = json.indexOf("\"token\":\"") + 9;
		return json.substring(start, json.indexOf('"', start));
	}

	private static StateStoreLeaderInitiator start(FencedLock lock, Baker baker) {
		StateStoreLeaderInitiator initiator = new StateStoreLeaderInitiator(lock, baker);
		initiator.setApplicationEventPublisher((event) -> {
		});
		initiator.start();
		return initiator;
	}

	@Test
	void leavesOutLockWithoutLeader() {
		FencedLock lock = registry(this.session, "oven-1").obtain(this.role);
		lock.lock();
		assertThat(this.cli.run("leader").out()).doesNotContain(this.role);
		lock.unlock();
	}

	@Test
	void reportsRoleWithoutLeader() {
		for (String[] arguments : new String[][] { { "leader", this.role }, { "leader", "yield", this.role } }) {
			Result result = this.cli.run(arguments);
			assertThat(result.exitCode()).isEqualTo(ExitCodes.NOT_MET);
			assertThat(result.err()).contains("No instance leads '" + this.role + "'");
		}
	}

	@Test
	void yieldDoesNotDeleteData() {
		this.session.template().set(this.role, "data");
		Result result = this.cli.run("leader", "yield", this.role);
		assertThat(result.exitCode()).isEqualTo(ExitCodes.NOT_MET);
		assertThat(result.err()).contains("is not a lock");
		assertThat(this.session.template().get(this.role, String.class)).isPresent();
	}

	@Test
	void showsHolderAndRenewalWithoutAuthorization() {
		try (StateStoreBroker closed = StateStoreBroker.builder().administration(AdministrationAccess.OFF).start();
				Session client = new Session(
						ConnectionOptions.builder().host("127.0.0.1").port(closed.port()).build())) {
			FencedLock lock = registry(client, "oven-1").obtain("press");
			lock.lock();
			StateStoreTemplate template = client.template();
			template.set("foreign", "other program");

			Result result = Cli.on(closed.port()).run("locks", "-o", "json");

			assertThat(result.exitCode()).isZero();
			assertThat(result.err()).contains("does not authorize", "token, time left, and waiters are unknown");
			assertThat(result.out()).contains("\"key\":\"press\",\"holder\":\"oven-1\"", "\"token\":null")
				.doesNotContain("foreign");
			assertThat(Cli.on(closed.port()).run("locks", "--all", "-o", "json").out()).contains("foreign");
			lock.unlock();
		}
	}

	@Test
	void showsHolderAndRenewalOfOtherServer() {
		try (Mosquitto other = Mosquitto.start();
				StateStoreGateway unanswering = StateStoreGateway.builder()
					.host("127.0.0.1")
					.port(other.port())
					.start();
				Session client = new Session(
						ConnectionOptions.builder().host("127.0.0.1").port(other.port()).build())) {
			assertThat(unanswering.isServing()).isTrue();
			FencedLock lock = registry(client, "oven-1").obtain("press");
			lock.lock();

			Result result = Cli.on(other.port()).run("locks", "-o", "json");

			assertThat(result.exitCode()).isZero();
			assertThat(result.err()).contains("no matching subscribers", "are unknown");
			assertThat(result.out()).contains("\"key\":\"press\",\"holder\":\"oven-1\"");
			lock.unlock();
		}
	}

	@Test
	void shortLeaseOfKilledHolderEnds() {
		try (Session killed = session("killed")) {
			killed.locks(LockOptions.DEFAULT.withHolderName("killed").withLease(Duration.ofSeconds(1)))
				.obtain(this.role)
				.lock();
			assertThat(this.cli.run("locks", this.role, "-o", "json").out()).contains("\"holder\":\"killed\"");
		}
		await().until(() -> this.cli.run("locks", this.role, "-o", "json").out().isEmpty());
	}

	private static final class Baker extends AbstractCandidate {

		private final CountDownLatch granted = new CountDownLatch(1);

		private final CountDownLatch revoked = new CountDownLatch(1);

		Baker(String role) {
			super(UUID.randomUUID().toString(), role);
		}

		@Override
		public void onGranted(Context context) {
			this.granted.countDown();
		}

		@Override
		public void onRevoked(Context context) {
			this.revoked.countDown();
		}

	}

}
