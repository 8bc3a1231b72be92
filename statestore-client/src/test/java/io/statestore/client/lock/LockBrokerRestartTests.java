package io.statestore.client.lock;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Entry;
import io.statestore.client.FencingToken;
import io.statestore.client.StaleFencingTokenException;
import io.statestore.client.watch.TestClient;
import io.statestore.broker.storage.Persist;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.FaultProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A held lock while a broker starts again with the files that a killed one has left: a
 * copy of its directory while it runs.
 */
@Timeout(60)
@ParameterizedClass
@EnumSource(Persist.class)
class LockBrokerRestartTests {

	private static final String LOCK = "press-1";

	private static final String DATA = "press-1/setpoint";

	private static final Duration LEASE = Duration.ofSeconds(20);

	private final Persist persist;

	private final Path directory;

	private final List<AutoCloseable> resources = new ArrayList<>();

	private StateStoreBroker broker;

	private final FaultProxy proxy;

	LockBrokerRestartTests(Persist persist, @TempDir Path directory) {
		this.persist = persist;
		this.directory = directory;
		this.broker = start(0, "first");
		this.proxy = new FaultProxy(this.broker.port());
	}

	private StateStoreBroker start(int port, String store) {
		return StateStoreBroker.builder()
			.port(port)
			.storage(StorageOptions.in(this.directory.resolve(store)).withPersist(this.persist))
			.start();
	}

	private void killAndRestart() throws IOException {
		// Clients must not learn that the broker stops.
		this.proxy.block();
		FileSystemUtils.copyRecursively(this.directory.resolve("first"), this.directory.resolve("second"));
		// Last, as it must not end before what other files say about it.
		FileSystemUtils.copyRecursively(this.directory.resolve("first/log"), this.directory.resolve("second/log"));
		int port = this.broker.port();
		this.broker.close();
		this.broker = start(port, "second");
		this.proxy.unblock();
	}

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable resource : this.resources) {
			resource.close();
		}
		this.proxy.close();
		this.broker.close();
	}

	@Test
	void holderKeepsLockAndStaleTokenIsRefused() throws Exception {
		TestClient earlier = client();
		FencingToken stale = lock(earlier).execute((tenure) -> {
			tenure.operations().set(DATA, 1);
			return tenure.token();
		});
		TestClient client = client();
		FencedLock held = lock(client);
		held.lock();
		held.operations().set(DATA, 2);
		FencingToken token = held.token();
		FencedLock waiting = lock(client());
		CompletableFuture<Void> waiter = CompletableFuture.runAsync(waiting::lock);

		killAndRestart();

		held.operations().set(DATA, 3);
		assertThat(held.isValid()).isTrue();
		assertThat(held.token()).isEqualTo(token);
		await("the reconnect").until(earlier.connection::isConnected);
		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> earlier.template.fencedBy(stale).set(DATA, 4));
		assertThat(lock(earlier).tryLock(500, TimeUnit.MILLISECONDS)).isFalse();
		assertThat(waiter).isNotDone();
		assertThat(earlier.template.get(DATA, Integer.class)).map(Entry::value).contains(3);

		held.unlock();
		assertThat(waiter).succeedsWithin(Duration.ofSeconds(30));
		assertThat(waiting.token()).isGreaterThan(token);
	}

	private TestClient client() {
		TestClient client = new TestClient(this.proxy.port()).start();
		this.resources.add(client);
		return client;
	}

	private FencedLock lock(TestClient client) {
		StateStoreLockRegistry registry = new StateStoreLockRegistry(client.template,
				LockOptions.DEFAULT.withLease(LEASE).withStopTimeout(Duration.ZERO));
		this.resources.add(0, registry::stop);
		return registry.obtain(LOCK);
	}

}
