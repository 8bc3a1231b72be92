package io.statestore.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.observability.StateStoreObservability;
import io.statestore.client.watch.KeyWatches;
import io.statestore.client.watch.WatchOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Connections to two brokers, with watches and locks, that share resources. */
@Timeout(60)
@Isolated("looks at all threads")
class SharedResourcesTests {

	private final Set<Thread> before = timers();

	private final ClientResources resources = new ClientResources();

	private final List<Client> clients = new ArrayList<>();

	@BeforeEach
	void start() {
		this.clients.add(new Client(this.resources));
		this.clients.add(new Client(this.resources));
	}

	@AfterEach
	void close() {
		this.clients.forEach(Client::close);
		this.resources.close();
	}

	private static Set<Thread> timers() {
		Set<Thread> timers = ConcurrentHashMap.newKeySet();
		Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("statestore-timer"))
			.forEach(timers::add);
		return timers;
	}

	private static void use(Client client) {
		List<String> values = new CopyOnWriteArrayList<>();
		try (KeyWatch watch = client.template.watch("key", String.class,
				(change) -> values.add(String.valueOf(change.value())))) {
			FencedLock lock = client.locks.obtain("lock");
			assertThat(lock.tryLock()).isTrue();
			client.template.set("key", "value");
			lock.unlock();
			await().until(() -> values.contains("value"));
		}
	}

	@Test
	void connectionsToTwoBrokersUseOneTimer() {
		this.clients.forEach(SharedResourcesTests::use);
		assertThat(timers()).filteredOn((timer) -> !this.before.contains(timer)).hasSizeLessThanOrEqualTo(1);
	}

	@Test
	void closingConnectionDoesNotAffectOthers() {
		this.clients.remove(0).close();
		use(this.clients.get(0));
	}

	private static final class Client implements AutoCloseable {

		private final StateStoreBroker broker = StateStoreBroker.builder().start();

		private final StateStoreConnection connection;

		private final KeyWatches watches;

		private final StateStoreTemplate template;

		private final StateStoreLockRegistry locks;

		private Client(ClientResources resources) {
			this.connection = new StateStoreConnection(
					ConnectionOptions.builder().host("localhost").port(this.broker.port()).build(), resources);
			this.watches = new KeyWatches(this.connection, WatchOptions.DEFAULT, null, StateStoreObservability.NONE,
					resources);
			this.template = new StateStoreTemplate(this.connection, null, this.watches);
			this.locks = new StateStoreLockRegistry(this.template, LockOptions.DEFAULT, resources);
			this.connection.start();
		}

		@Override
		public void close() {
			this.locks.stop();
			this.watches.close();
			this.connection.close();
			this.broker.close();
		}

	}

}
