package io.statestore.broker.standalone;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.conformance.Hlc;
import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyWatch;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.watch.KeyWatches;
import io.statestore.test.FaultProxy;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests three processes that form a single store, started as users start them. */
@Tag("long")
@Timeout(180)
class ClusterProcessTests {

	private static final List<String> NAMES = List.of("a", "b", "c");

	private static final String ELECTION_TIMEOUT = "3s";

	private static final int CHANGES = 50;

	@TempDir
	private Path directory;

	private ClusterProcesses cluster;

	@BeforeEach
	void start() {
		this.cluster = new ClusterProcesses(this.directory, NAMES);
		// Long, so that leadership does not move only because the machine is busy.
		this.cluster.startAll("--new-cluster", "--election-timeout", ELECTION_TIMEOUT);
	}

	@AfterEach
	void stop() {
		this.cluster.close();
	}

	@Test
	void survivesKilledLeader() throws Exception {
		for (String name : NAMES) {
			try (StoreClient client = this.cluster.client(name)) {
				assertThat(Resp.text(client.call("SET", name, "of " + name))).isEqualTo("+OK⏎");
			}
		}
		String follower = this.cluster.follower();
		StoreClient connected = this.cluster.client(follower);
		connected.call("SET", "before", "1");
		String killed = this.cluster.leader();
		long start = System.nanoTime();
		this.cluster.kill(killed);
		connected.mqtt().awaitEnd();
		long noticed = System.nanoTime();
		ClusterProcesses.await().until(() -> writes(follower));
		System.out.printf("Leader killed: client disconnected after %d ms, writes accepted after %d ms%n",
				(noticed - start) / 1_000_000, (System.nanoTime() - start) / 1_000_000);
		this.cluster.awaitReady();
		for (String name : this.cluster.names()) {
			try (StoreClient client = this.cluster.client(name)) {
				for (String key : NAMES) {
					assertThat(Resp.text(client.call("GET", key))).contains("of " + key);
				}
			}
		}
		this.cluster.start(killed, "--election-timeout", ELECTION_TIMEOUT);
		this.cluster.awaitReady();
		try (StoreClient client = this.cluster.client(killed)) {
			assertThat(Resp.text(client.call("GET", "after"))).contains("1");
		}
		NAMES.stream().filter((name) -> !name.equals(follower)).forEach(this.cluster::kill);
		try (StateStoreBroker saved = this.cluster.save(follower);
				StoreClient client = StoreClient.connect(saved.port(), "reader")) {
			assertThat(client.value("after")).isEqualTo("1");
		}
	}

	/** Returns whether a client can connect and write. */
	private boolean writes(String node) {
		try (StoreClient client = this.cluster.client(node)) {
			return Resp.text(client.call("SET", "after", "1")).equals("+OK⏎");
		}
		catch (RuntimeException | AssertionError ex) {
			return false;
		}
	}

	/** The proxy holds the client back, so that keys change during its outage. */
	@Test
	void patternWatchThroughFollowerContinuesWhenLeaderIsKilled() {
		String follower = this.cluster.follower();
		List<KeyChange<String>> changes = new CopyOnWriteArrayList<>();
		write(follower, (client) -> List.of("kept", "changed", "deleted").forEach((key) -> set(client, key, "1")));
		try (FaultProxy proxy = new FaultProxy(this.cluster.port(follower));
				StateStoreConnection connection = connect(proxy.port());
				KeyWatches watches = new KeyWatches(connection)) {
			KeyWatch watch = new StateStoreTemplate(connection, null, watches).watchPattern("machines/*", String.class,
					(spec) -> {
					}, changes::add);
			write(follower, (client) -> set(client, "kept", "2"));
			ClusterProcesses.await().until(() -> changes.size() == 1);
			proxy.block();
			this.cluster.kill(this.cluster.leader());
			ClusterProcesses.await().until(() -> !watch.isActive());
			write(follower, (client) -> {
				set(client, "changed", "2");
				String version = Hlc.of(client.call("GET", "machines/changed")).unpadded();
				client.call("REPLACE", "machines/changed", "3", version);
				set(client, "created", "1");
				client.call("DEL", "machines/deleted");
			});
			proxy.unblock();
			ClusterProcesses.await().until(() -> watch.isActive() && changes.size() >= 4);
			assertThat(texts(changes)).startsWith("machines/kept=2")
				.containsExactlyInAnyOrder("machines/kept=2", "machines/changed=3 (resynchronized)",
						"machines/created=1 (resynchronized)", "machines/deleted=null (resynchronized)");
			changes.clear();
			write(follower,
					(client) -> IntStream.range(0, CHANGES).forEach((i) -> set(client, "later", String.valueOf(i))));
			ClusterProcesses.await().until(() -> changes.size() >= CHANGES);
			assertThat(texts(changes))
				.containsExactlyElementsOf(IntStream.range(0, CHANGES).mapToObj((i) -> "machines/later=" + i).toList());
		}
	}

	private static StateStoreConnection connect(int port) {
		StateStoreConnection connection = new StateStoreConnection(ConnectionOptions.builder()
			.port(port)
			.reconnectDelay(Duration.ofMillis(20), Duration.ofMillis(100))
			.build());
		connection.start();
		return connection;
	}

	private void write(String node, Consumer<StoreClient> writes) {
		try (StoreClient client = connected(node)) {
			writes.accept(client);
		}
	}

	/** Connects, even while a node does not know the next leader yet. */
	private StoreClient connected(String node) {
		return ClusterProcesses.await()
			.ignoreExceptionsMatching((failure) -> true)
			.until(() -> this.cluster.client(node), Objects::nonNull);
	}

	private static void set(StoreClient client, String machine, String value) {
		assertThat(Resp.text(client.call("SET", "machines/" + machine, value))).isEqualTo("+OK⏎");
	}

	private static List<String> texts(List<KeyChange<String>> changes) {
		return changes.stream()
			.map((change) -> change.key() + "=" + change.value() + (change.resynchronized() ? " (resynchronized)" : ""))
			.toList();
	}

	@Test
	void versionsAndTimesToLiveContinueWhenLeaderIsKilled() {
		String follower = this.cluster.follower();
		StoreClient before = this.cluster.client(follower);
		Hlc first = Hlc.of(before.call("SET", "k", "1", "PX", "600000"));
		RawPublish request = before.request(Resp.command("REPLACE", "k", "2", first.unpadded()));
		Hlc second = Hlc.of(before.exchange(request));
		long millis = millisToLive(before);
		this.cluster.kill(this.cluster.leader());
		before.mqtt().awaitEnd();
		try (StoreClient after = connected(follower)) {
			RawPublish repeated = after.exchange(request);
			assertThat(Resp.text(repeated)).isEqualTo("+OK⏎");
			assertThat(Hlc.of(repeated)).isEqualTo(second);
			RawPublish stale = after.call("REPLACE", "k", "3", first.unpadded());
			assertThat(Resp.text(stale)).isEqualTo("$1⏎2⏎");
			assertThat(Hlc.of(stale)).isEqualTo(second);
			assertThat(after.value("k")).isEqualTo("2");
			assertThat(millisToLive(after)).isBetween(millis - 180_000, millis);
			RawPublish replaced = after.call("REPLACE", "k", "3", second.unpadded(), "PX", "100");
			assertThat(Resp.text(replaced)).isEqualTo("+OK⏎");
			assertThat(Hlc.of(replaced)).isGreaterThan(second);
			ClusterProcesses.await().until(() -> Resp.text(after.call("TTL", "k")).equals("$-1⏎"));
			assertThat(Resp.text(after.call("REPLACE", "k", "4", Hlc.of(replaced).unpadded()))).isEqualTo(":0⏎");
		}
	}

	private static long millisToLive(StoreClient client) {
		String text = Resp.text(client.call("TTL", "k"));
		assertThat(text).matches(":\\d+⏎");
		return Long.parseLong(text.substring(1, text.length() - 1));
	}

	@Test
	void stoppedNodesKeepDataAndExitNormally() {
		try (StoreClient client = this.cluster.client("a")) {
			client.call("SET", "k", "v");
		}
		NAMES.forEach((name) -> assertThat(this.cluster.stop(name)).isZero());
		this.cluster.startAll("--election-timeout", ELECTION_TIMEOUT);
		try (StoreClient client = this.cluster.client("b")) {
			assertThat(Resp.text(client.call("GET", "k"))).contains("v");
		}
	}

}
