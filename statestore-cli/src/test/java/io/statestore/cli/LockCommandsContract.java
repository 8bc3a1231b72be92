package io.statestore.cli;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import io.statestore.cli.Cli.Result;
import io.statestore.client.KeyWatch;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.ConnectionOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Behavior of the commands for locks and leaders on servers of this project. */
@Timeout(120)
abstract class LockCommandsContract {

	private final String role = "role-" + UUID.randomUUID();

	private Session session;

	/** Returns the port of the server. */
	abstract int port();

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
			.port(port())
			.clientId(clientId + '-' + this.role)
			.build());
	}

	private Result run(String... arguments) {
		return Cli.on(port()).with("STATESTORE_AS", "operator").run(arguments);
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
			CompletableFuture<Void> waiter = CompletableFuture.runAsync(() -> waiting.obtain(this.role).lock());
			await().untilAsserted(() -> {
				Result result = run("locks", this.role, "-o", "json");
				assertThat(result.err()).isEmpty();
				assertThat(result.exitCode()).isZero();
				assertThat(result.out())
					.contains("\"key\":\"" + this.role + "\"", "\"holder\":\"oven-1\"", "\"client\":\"oven-1-",
							"\"token\":\"" + lock.heldLock().token() + "\"", "\"waiters\":1", "\"next\":\"oven-2-")
					.containsPattern("\"left\":[12]\\d\\.");
			});
			waiting.stop();
			assertThat(waiter).failsWithin(Duration.ofSeconds(60));
		}
		lock.unlock();
		assertThat(run("locks", this.role).out()).isEmpty();
	}

	@Test
	void clientThatWatchesLockIsNotNext() throws Exception {
		FencedLock lock = registry(this.session, "oven-1").obtain(this.role);
		lock.lock();
		try (Session other = session("control-room");
				KeyWatch watch = other.watchingTemplate().watch(this.role, String.class, (change) -> {
				})) {
			assertThat(watch.awaitStarted(Duration.ofSeconds(20))).isTrue();
			assertThat(run("locks", this.role, "-o", "json").out()).contains("\"holder\":\"oven-1\"")
				.doesNotContain("control-room");
		}
		lock.unlock();
	}

	@Test
	void listsSeveralLocksAsTable() {
		List<FencedLock> locks = Stream.of("a", "b").map((name) -> {
			FencedLock lock = registry(this.session, name).obtain(this.role + '/' + name);
			lock.lock();
			return lock;
		}).toList();
		this.session.template().set(this.role + "/data", "x");

		String out = run("locks", this.role + "/*").out();

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

			assertThat(run("leader", "-o", "json").out()).contains("\"role\":\"" + this.role + "\"",
					"\"leader\":\"oven-1\"");
			Result shown = run("leader", this.role, "-o", "json");
			assertThat(shown.out()).contains("\"leader\":\"oven-1\"",
					"\"token\":\"" + one.context().orElseThrow().token() + "\"");
			await().until(() -> run("leader", this.role, "-o", "json").out().contains("\"candidates\":1"));

			Result result = run("leader", "resign", this.role, "--wait", "60s", "-o", "json");

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
	void omitsLockWithoutLeader() {
		FencedLock lock = registry(this.session, "oven-1").obtain(this.role);
		lock.lock();
		assertThat(run("leader").out()).doesNotContain(this.role);
		Result shown = run("leader", this.role);
		assertThat(shown.exitCode()).isEqualTo(ExitCodes.NOT_MET);
		assertThat(shown.out()).isEmpty();
		lock.unlock();
	}

	@Test
	void resignDoesNotDeleteLockWithoutLeader() {
		FencedLock lock = registry(this.session, "oven-1").obtain(this.role);
		lock.lock();
		Result result = run("leader", "resign", this.role);
		assertThat(result.exitCode()).isEqualTo(ExitCodes.NOT_MET);
		assertThat(result.err()).contains("is held by oven-1", "statestore locks");
		assertThat(this.session.template().get(this.role, String.class)).isPresent();
		lock.unlock();
	}

	@Test
	void resignReportsMissingSuccessor() {
		this.session.template().set(this.role, "oven-1/leader/" + UUID.randomUUID() + "/1");
		Result result = run("leader", "resign", this.role, "--wait", "1ms");
		assertThat(result.err()).contains("oven-1 no longer leads", "No instance has taken over");
		assertThat(result.exitCode()).isEqualTo(ExitCodes.NOT_MET);
	}

	@Test
	void reportsRoleWithoutLeader() {
		for (String[] arguments : new String[][] { { "leader", this.role }, { "leader", "resign", this.role } }) {
			Result result = run(arguments);
			assertThat(result.exitCode()).isEqualTo(ExitCodes.NOT_MET);
			assertThat(result.err()).contains("No instance leads '" + this.role + "'");
		}
	}

	@Test
	void resignDoesNotDeleteData() {
		this.session.template().set(this.role, "data");
		Result result = run("leader", "resign", this.role);
		assertThat(result.exitCode()).isEqualTo(ExitCodes.NOT_MET);
		assertThat(result.err()).contains("is not a lock");
		assertThat(this.session.template().get(this.role, String.class)).isPresent();
	}

	@Test
	void setUnderLockWaitsForHolder() {
		FencedLock lock = registry(this.session, "oven-1").obtain(this.role);
		lock.lock();
		lock.operations().set(this.role + "/setpoint", "180");
		assertThat(run("set", this.role + "/setpoint", "200").exitCode()).isEqualTo(ExitCodes.REFUSED);
		CompletableFuture<Result> set = CompletableFuture
			.supplyAsync(() -> run("set", this.role + "/setpoint", "200", "--under-lock", this.role, "-o", "json"));
		await().until(() -> run("locks", this.role, "-o", "json").out().contains("\"waiters\":1"));
		assertThat(set).isNotDone();
		assertThat(value()).isEqualTo("180");

		lock.unlock();

		assertThat(set.join().err()).isEmpty();
		assertThat(set.join().exitCode()).isZero();
		assertThat(value()).isEqualTo("200");
		assertThat(run("locks", this.role).out()).isEmpty();
		assertThat(run("set", this.role + "/setpoint", "1").exitCode()).isEqualTo(ExitCodes.REFUSED);
	}

	@Test
	void refusesOptionsThatConflictWithUnderLock() {
		assertThat(run("set", "k", "v", "--wait", "1s").exitCode()).isEqualTo(ExitCodes.USAGE);
		assertThat(run("set", "k", "v", "--under-lock", "l", "--token", "1:0:n").exitCode()).isEqualTo(ExitCodes.USAGE);
	}

	private String value() {
		return this.session.template().get(this.role + "/setpoint", String.class).orElseThrow().value();
	}

	@Test
	@Tag("long")
	void shortLeaseOfKilledHolderEnds() {
		try (Session killed = session("killed")) {
			killed.locks(LockOptions.DEFAULT.withHolderName("killed").withLease(Duration.ofSeconds(5)))
				.obtain(this.role)
				.lock();
			assertThat(run("locks", this.role, "-o", "json").out()).contains("\"holder\":\"killed\"");
		}
		await().until(() -> run("locks", this.role, "-o", "json").out().isEmpty());
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
