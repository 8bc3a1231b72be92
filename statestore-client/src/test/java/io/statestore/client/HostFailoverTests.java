package io.statestore.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.watch.TestClient;
import io.statestore.test.FaultProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Clients of real brokers with several hosts, which fail one after the other. */
@Timeout(60)
class HostFailoverTests {

	private final List<AutoCloseable> resources = new ArrayList<>();

	private <T extends AutoCloseable> T add(T resource) {
		this.resources.add(0, resource);
		return resource;
	}

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable resource : this.resources) {
			resource.close();
		}
	}

	private TestClient client(List<Integer> ports) {
		return add(new TestClient(ports.stream().map((port) -> "localhost:" + port).toList()).start());
	}

	/** Waits until the client is connected, and returns the port of its broker. */
	private static int port(TestClient client) {
		return await("a connection").until(() -> client.connection.status().broker(), Objects::nonNull).port();
	}

	private StateStoreBroker store() {
		return add(StateStoreBroker.builder().start());
	}

	/** Three hosts of the same store, as those of a cluster are. */
	private List<FaultProxy> hosts(StateStoreBroker store) {
		return IntStream.range(0, 3).mapToObj((i) -> add(new FaultProxy(store.port()))).toList();
	}

	private static List<Integer> ports(List<FaultProxy> hosts) {
		return hosts.stream().map(FaultProxy::port).toList();
	}

	private static FaultProxy used(List<FaultProxy> hosts, TestClient client) {
		return hosts.stream().filter((host) -> host.port() == port(client)).findFirst().orElseThrow();
	}

	private static void awaitOther(FaultProxy failed, TestClient client) {
		await("another host").until(() -> port(client) != failed.port());
	}

	@Test
	void continuesWithRunningBroker() {
		List<StateStoreBroker> brokers = new ArrayList<>(
				IntStream.range(0, 3).mapToObj((i) -> StateStoreBroker.builder().start()).toList());
		try {
			TestClient client = client(brokers.stream().map(StateStoreBroker::port).toList());
			for (int round = 0; round < 4; round++) {
				int port = port(client);
				int index = IntStream.range(0, 3)
					.filter((i) -> brokers.get(i).port() == port)
					.findFirst()
					.orElseThrow();
				client.template.set("key", "round " + round);
				brokers.get(index).close();
				client.template.set("key", "other " + round);
				assertThat(client.template.get("key", String.class)).map(Entry::value).contains("other " + round);
				assertThat(port(client)).isNotEqualTo(port);
				brokers.set(index, StateStoreBroker.builder().port(port).start());
			}
		}
		finally {
			brokers.forEach(StateStoreBroker::close);
		}
	}

	@Test
	void watchesContinueAtOtherHost() {
		StateStoreBroker store = store();
		List<FaultProxy> hosts = hosts(store);
		TestClient watcher = client(ports(hosts));
		TestClient writer = client(List.of(store.port()));
		List<KeyChange<String>> delivered = new CopyOnWriteArrayList<>();
		watcher.template.watch("key", String.class, delivered::add);
		for (int round = 0; round < 3; round++) {
			String missed = "missed " + round;
			String live = "live " + round;
			FaultProxy failed = used(hosts, watcher);
			failed.block();
			writer.template.set("key", missed);
			awaitOther(failed, watcher);
			await(missed).until(() -> delivered.stream().anyMatch((change) -> missed.equals(change.value())));
			writer.template.set("key", live);
			await(live).until(() -> live.equals(delivered.get(delivered.size() - 1).value()));
			failed.unblock();
		}
		assertThat(delivered.stream().map(KeyChange::version)).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void locksContinueAtOtherHost() {
		List<FaultProxy> hosts = hosts(store());
		TestClient holder = client(ports(hosts));
		TestClient waiter = client(ports(hosts));
		FencedLock held = lock(holder);
		held.lock();
		FencingToken token = held.token();
		FencedLock waiting = lock(waiter);
		CompletableFuture<Void> acquired = CompletableFuture.runAsync(waiting::lock);
		for (TestClient client : List.of(holder, waiter)) {
			FaultProxy failed = used(hosts, client);
			failed.block();
			awaitOther(failed, client);
			failed.unblock();
		}
		held.operations().set("key", 1);
		assertThat(held.isValid()).isTrue();
		assertThat(held.token()).isEqualTo(token);
		assertThat(acquired).isNotDone();
		held.unlock();
		assertThat(acquired).succeedsWithin(Duration.ofSeconds(20));
		assertThat(waiting.token()).isGreaterThan(token);
	}

	private FencedLock lock(TestClient client) {
		StateStoreLockRegistry registry = new StateStoreLockRegistry(client.template,
				LockOptions.DEFAULT.withLease(Duration.ofSeconds(20)).withStopTimeout(Duration.ZERO));
		add(registry::stop);
		return registry.obtain("lock");
	}

}
