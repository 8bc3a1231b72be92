package io.statestore.client.lock;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.statestore.client.Entry;
import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.client.StaleFencingTokenException;
import io.statestore.client.watch.TestClient;
import io.statestore.test.JavaProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Locks of a broker with a directory, which is killed and started again. */
@Tag("long")
@Timeout(120)
class KilledBrokerTests {

	/** Longer than a restart on a slow machine. */
	private static final Duration LEASE = Duration.ofSeconds(18);

	@TempDir
	Path directory;

	private JavaProcess broker;

	private int port;

	private TestClient client;

	private TestClient other;

	private StateStoreLockRegistry registry;

	private StateStoreLockRegistry elsewhere;

	private FencedLock lock;

	private final List<LockLoss> losses = new CopyOnWriteArrayList<>();

	@BeforeEach
	void start() {
		startBroker();
		this.client = new TestClient(this.port).start();
		this.other = new TestClient(this.port).start();
		this.registry = registry(this.client);
		this.elsewhere = registry(this.other);
		this.lock = this.registry.obtain("lock");
		this.lock.addLossListener(this.losses::add);
	}

	@AfterEach
	void close() {
		this.registry.stop();
		this.elsewhere.stop();
		this.client.close();
		this.other.close();
		this.broker.close();
	}

	private void startBroker() {
		this.broker = JavaProcess.of(BrokerProgram.class).arguments(this.port, this.directory).start();
		this.port = Integer.parseInt(this.broker.await("^port (\\d+)$").group(1));
	}

	private void restartBroker() {
		this.broker.kill();
		startBroker();
		await("both clients").until(() -> isServed(this.client) && isServed(this.other));
	}

	private static boolean isServed(TestClient client) {
		try {
			client.template.get("any", String.class);
			return true;
		}
		catch (RuntimeException ex) {
			return false;
		}
	}

	private static StateStoreLockRegistry registry(TestClient client) {
		return new StateStoreLockRegistry(client.template, LockOptions.DEFAULT.withLease(LEASE));
	}

	@Test
	void holderKeepsLockAndToken() {
		this.lock.lock();
		FencingToken token = this.lock.tenure().token();
		restartBroker();
		assertThat(this.elsewhere.obtain("lock").tryLock()).isFalse();
		await("a renewal").atMost(LEASE)
			.until(() -> this.lock.remaining().compareTo(LEASE.multipliedBy(9).dividedBy(10)) > 0);
		assertThat(this.lock.isValid()).isTrue();
		assertThat(this.lock.tenure().token()).isEqualTo(token);
		this.lock.operations().set("data", "written under the lock");
		assertThat(this.losses).isEmpty();
		this.lock.unlock();
	}

	@Tag("nightly")
	@Test
	void storeRejectsStaleToken() {
		this.lock.lock();
		FencingToken stale = this.lock.tenure().token();
		this.lock.unlock();
		FencedLock later = this.elsewhere.obtain("lock");
		later.lock();
		later.operations().set("data", "later");
		restartBroker();
		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> this.client.template.fencedBy(stale).set("data", "stale"));
		assertThat(this.client.template.get("data", String.class)).get().extracting(Entry::value).isEqualTo("later");
		later.unlock();
	}

	@Tag("nightly")
	@Test
	void waiterWaitsUntilHolderUnlocks() throws Exception {
		this.lock.lock();
		FencedLock waiting = this.elsewhere.obtain("lock");
		CompletableFuture<FencingToken> granted = CompletableFuture.supplyAsync(() -> {
			waiting.lock();
			FencingToken token = waiting.tenure().token();
			waiting.unlock();
			return token;
		});
		await("the waiter").until(() -> this.other.watches.isActive(Key.of("lock")));
		restartBroker();
		assertThat(granted).isNotDone();
		FencingToken token = this.lock.tenure().token();
		this.lock.unlock();
		assertThat(granted.get(60, TimeUnit.SECONDS)).isGreaterThan(token);
		assertThat(this.losses).isEmpty();
	}

}
