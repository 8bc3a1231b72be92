package io.statestore.broker.standalone;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Entry;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.TransientStateStoreException;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.internal.AdministrationClient;
import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.ClusterNodeState.Role;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests five processes that form a single store, any two of which may fail. */
@Tag("long")
@Timeout(180)
@Tag("nightly")
class FiveNodesProcessTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	private static final int WRITERS = 3;

	@TempDir
	private Path directory;

	private final List<StateStoreConnection> connections = new ArrayList<>();

	private final List<Writer> writers = new ArrayList<>();

	private ClusterProcesses cluster;

	@BeforeEach
	void start() {
		this.cluster = new ClusterProcesses(this.directory, List.of("a", "b", "c", "d", "e"));
		this.cluster.startAll("--new-cluster");
	}

	@AfterEach
	void stop() {
		this.writers.forEach((writer) -> writer.stopped = true);
		this.connections.forEach(StateStoreConnection::close);
		this.cluster.close();
	}

	private StateStoreConnection connect() {
		return connect(this.cluster.hosts());
	}

	private StateStoreConnection connect(List<String> hosts) {
		StateStoreConnection connection = new StateStoreConnection(ConnectionOptions.builder()
			.hosts(hosts)
			.startTimeout(TIMEOUT)
			.reconnectDelay(Duration.ofMillis(20), Duration.ofMillis(100))
			.build());
		this.connections.add(connection);
		connection.start();
		return connection;
	}

	@Test
	void survivesTwoKilledNodesAndTheirRestart() throws Exception {
		StateStoreConnection connection = connect();
		StateStoreTemplate template = new StateStoreTemplate(connection);
		AdministrationClient administration = new AdministrationClient(connection);
		awaitCaughtUp(administration);
		for (int i = 0; i < WRITERS; i++) {
			this.writers.add(new Writer("writer-" + i, connect()));
		}
		awaitProgress();

		List<String> killed = List.of(this.cluster.leader(), this.cluster.follower());
		killed.forEach(this.cluster::kill);
		awaitProgress();
		assertHolds(template, acknowledged());
		assertThat(states(administration)).filteredOn((state) -> state.role() == Role.UNREACHABLE)
			.extracting(ClusterNodeState::name)
			.containsExactlyInAnyOrderElementsOf(killed);

		killed.forEach(this.cluster::start);
		this.cluster.awaitReady();
		awaitProgress();
		for (Writer writer : this.writers) {
			writer.stop();
		}
		awaitCaughtUp(administration);
		List<String> acknowledged = acknowledged();
		assertHolds(template, acknowledged);
		for (String name : killed) {
			try (StateStoreBroker saved = this.cluster.save(name)) {
				StateStoreConnection copy = connect(List.of("localhost:" + saved.port()));
				assertHolds(new StateStoreTemplate(copy), acknowledged);
			}
		}
	}

	private static void assertHolds(StateStoreTemplate template, List<String> keys) {
		Map<String, Entry<String>> found = ClusterProcesses.await()
			.ignoreExceptionsInstanceOf(TransientStateStoreException.class)
			.until(() -> template.getAll(keys, String.class), Objects::nonNull);
		assertThat(keys)
			.allSatisfy((key) -> assertThat(found.get(key)).extracting(Entry::value).isEqualTo("of " + key));
	}

	/** Waits until all five nodes have applied all of the leader's entries. */
	private static void awaitCaughtUp(AdministrationClient administration) {
		ClusterProcesses.await().untilAsserted(() -> {
			List<ClusterNodeState> states = states(administration);
			assertThat(states).extracting(ClusterNodeState::name).containsExactlyInAnyOrder("a", "b", "c", "d", "e");
			assertThat(states).extracting(ClusterNodeState::role)
				.containsExactlyInAnyOrder(Role.LEADER, Role.FOLLOWER, Role.FOLLOWER, Role.FOLLOWER, Role.FOLLOWER);
			long last = states.stream().mapToLong(ClusterNodeState::lastIndex).max().orElseThrow();
			assertThat(states).allSatisfy((state) -> {
				assertThat(state.appliedIndex()).isEqualTo(last);
				assertThat(state.lag()).isZero();
				assertThat(state.failure()).isNull();
			});
		});
	}

	private static List<ClusterNodeState> states(AdministrationClient administration) {
		return ClusterProcesses.await()
			.ignoreExceptionsInstanceOf(ExecutionException.class)
			.until(() -> administration.nodes(TIMEOUT).get(), Objects::nonNull);
	}

	private void awaitProgress() {
		this.writers.forEach(Writer::awaitProgress);
	}

	private List<String> acknowledged() {
		return this.writers.stream().flatMap((writer) -> writer.acknowledged.stream()).toList();
	}

	/** Writes keys sequentially. */
	private static final class Writer {

		private static final int PROGRESS = 20;

		private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();

		private final String name;

		private final StateStoreTemplate template;

		private final CompletableFuture<Void> end;

		private volatile boolean stopped;

		Writer(String name, StateStoreConnection connection) {
			this.name = name;
			this.template = new StateStoreTemplate(connection);
			this.end = CompletableFuture.runAsync(this::run, (writing) -> new Thread(writing, name).start());
		}

		private void run() {
			for (int i = 0; !this.stopped; i++) {
				String key = this.name + '-' + i;
				try {
					this.template.set(key, "of " + key);
					this.acknowledged.add(key);
				}
				catch (TransientStateStoreException ex) {
					// The write was not acknowledged, so the key may be absent.
				}
				LockSupport.parkNanos(2_000_000);
			}
		}

		/** Waits until more keys are acknowledged. */
		void awaitProgress() {
			int size = this.acknowledged.size();
			ClusterProcesses.await().until(() -> this.end.isDone() || this.acknowledged.size() >= size + PROGRESS);
			assertThat(this.end).isNotDone();
		}

		void stop() throws Exception {
			this.stopped = true;
			this.end.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
		}

	}

}
