package io.statestore.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import io.statestore.broker.cluster.ClusterOptions.InitialState;
import io.statestore.client.Entry;
import io.statestore.client.FencingToken;
import io.statestore.client.KeyChange;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.ConnectionListener;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.watch.CountedWatches;
import io.statestore.client.watch.KeyWatches;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests restarts of all nodes, as seen by our client with all nodes' hosts. */
@Timeout(120)
class RollingRestartTests {

	@TempDir
	private Path directory;

	private final List<AutoCloseable> resources = new ArrayList<>();

	private BrokerCluster cluster;

	@BeforeEach
	void start() throws Exception {
		// Long, because a leader replaced only because the machine is busy would not
		// count as a restart.
		this.cluster = add(new BrokerCluster(this.directory, UnaryOperator.identity()));
	}

	private <T extends AutoCloseable> T add(T resource) {
		this.resources.add(0, resource);
		return resource;
	}

	@AfterEach
	void stop() throws Exception {
		for (AutoCloseable resource : this.resources) {
			resource.close();
		}
	}

	private StateStoreConnection connection() {
		List<String> hosts = this.cluster.brokers().stream().map((broker) -> "127.0.0.1:" + broker.port()).toList();
		StateStoreConnection connection = add(new StateStoreConnection(ConnectionOptions.builder()
			.hosts(hosts)
			.startTimeout(Duration.ofSeconds(20))
			.reconnectDelay(Duration.ofMillis(20), Duration.ofMillis(100))
			.build()));
		return connection;
	}

	private int leaderPort() {
		return this.cluster.broker(this.cluster.leader()).port();
	}

	/** Waits until the client is connected, and returns the port of its broker. */
	private static int port(StateStoreConnection connection) {
		return BrokerCluster.await().until(() -> connection.status().broker(), Objects::nonNull).port();
	}

	private void restart(String name) {
		this.cluster.stop(name);
		this.cluster.start(name, InitialState.EXISTING);
		this.cluster.awaitReady();
	}

	@Test
	void clientReconnectsOnce() throws Exception {
		List<StateStoreConnection> others = List.of(connection(), connection(), connection(), connection());
		StateStoreConnection connection = connection();
		List<Boolean> connects = new CopyOnWriteArrayList<>();
		connection.addListener(new ConnectionListener() {
			@Override
			public void connected(boolean reconnect) {
				connects.add(reconnect);
			}
		});
		others.forEach(StateStoreConnection::start);
		connection.start();
		assertThat(others).allSatisfy((other) -> assertThat(port(other)).isEqualTo(leaderPort()));
		assertThat(port(connection)).isEqualTo(leaderPort());

		AtomicInteger registrations = new AtomicInteger();
		KeyWatches observations = add(CountedWatches.of(connection, registrations));
		StateStoreTemplate template = new StateStoreTemplate(connection, null, observations);
		StateStoreLockRegistry locks = new StateStoreLockRegistry(template,
				LockOptions.DEFAULT.withStopTimeout(Duration.ZERO));
		add(locks::stop);
		FencedLock lock = locks.obtain("lock");
		lock.lock();
		FencingToken token = lock.token();
		List<KeyChange<String>> changes = new CopyOnWriteArrayList<>();
		template.watch("key", String.class, changes::add);
		BrokerCluster.await().until(() -> registrations.get() == 1);

		Writer writer = new Writer(template);
		CompletableFuture<Void> writing = CompletableFuture.runAsync(writer);
		BrokerCluster.await().until(() -> writer.written.get() > 0 && !changes.isEmpty());
		String leader = this.cluster.leader();
		for (String name : List.of("a", "b", "c")) {
			if (!name.equals(leader)) {
				restart(name);
			}
		}
		assertThat(connects).as("while followers restart").containsExactly(false);
		assertThat(writer.unknown).hasValue(0);
		restart(leader);
		int before = writer.written.get();
		BrokerCluster.await().until(() -> writer.written.get() > before);
		writer.stopped.set(true);
		writing.get(20, TimeUnit.SECONDS);

		assertThat(connects).containsExactly(false, true);
		assertThat(connection.status().reconnects()).isEqualTo(1);
		BrokerCluster.await().until(() -> others.stream().allMatch(StateStoreConnection::isConnected));
		assertThat(others).allSatisfy((other) -> assertThat(other.status().reconnects()).isEqualTo(1))
			.allSatisfy((other) -> assertThat(port(other)).isEqualTo(leaderPort()));
		assertThat(port(connection)).isEqualTo(leaderPort());
		assertThat(writer.unknown).as("writes in flight").hasValueLessThanOrEqualTo(1);
		String last = String.valueOf(writer.last);
		assertThat(template.get("key", String.class)).map(Entry::value).contains(last);
		BrokerCluster.await().until(() -> last.equals(changes.get(changes.size() - 1).value()));
		assertThat(changes).extracting(KeyChange::version).isSorted().doesNotHaveDuplicates();
		assertThat(registrations).as("synchronizations").hasValue(2);
		assertThat(lock.isValid()).isTrue();
		assertThat(lock.token()).isEqualTo(token);
		lock.operations().set("guarded", "v");
		lock.unlock();
	}

	/** Writes values sequentially. */
	private static final class Writer implements Runnable {

		private final StateStoreTemplate template;

		private final AtomicInteger written = new AtomicInteger();

		/** Number of writes without a reply, which the store may have executed. */
		private final AtomicInteger unknown = new AtomicInteger();

		private final AtomicBoolean stopped = new AtomicBoolean();

		private volatile int last;

		Writer(StateStoreTemplate template) {
			this.template = template;
		}

		@Override
		public void run() {
			while (!this.stopped.get()) {
				try {
					this.template.set("key", String.valueOf(this.last + 1));
					this.written.incrementAndGet();
				}
				catch (StateStoreOutcomeUnknownException ex) {
					this.unknown.incrementAndGet();
				}
				this.last++;
			}
		}

	}

}
