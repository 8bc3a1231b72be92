package io.statestore.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.cluster.ClusterOptions.InitialState;
import io.statestore.broker.conformance.BackupReader;
import io.statestore.broker.conformance.Hlc;
import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.log.LogException;
import io.statestore.broker.log.StoreDirectory;
import io.statestore.broker.log.StoreDirectoryException;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.CapturedLog;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Tests backups of nodes, and clusters that begin with a backup. */
@Timeout(120)
@TestMethodOrder(OrderAnnotation.class)
@Isolated("captures the log")
class ClusterBackupTests {

	/** Maximum offset that the first leader adds to the system clock. */
	private static final long MAX_DRIFT_MILLIS = 60_000;

	@TempDir
	private static Path directory;

	private static Path backup;

	/** Request whose reply the store remembers. */
	private static RawPublish remembered;

	private static Hlc rememberedVersion;

	/** Version that the store has issued after the backup. */
	private static Hlc lost;

	private static BrokerCluster cluster;

	@BeforeAll
	static void backUpStoreAndStartCluster() throws Exception {
		Path store = directory.resolve("single");
		backup = directory.resolve("single.backup");
		try (StateStoreBroker broker = single(store); StoreClient client = client(broker, "client")) {
			assertThat(text(client.call("SET", "lock", "holder", "NX", "PX", "600000"))).isEqualTo("+OK⏎");
			remembered = client.request(Resp.command("SET", "k", "v", "NX"));
			rememberedVersion = Hlc.of(client.exchange(remembered));
			BackupReader.write(broker.port(), backup);
			lost = Hlc.of(client.call("SET", "later", "v"));
		}
		cluster = restored("cluster", "a", "b", "c");
		cluster.elect();
		cluster.awaitReady();
	}

	@AfterAll
	static void stop() {
		if (cluster != null) {
			cluster.close();
		}
	}

	private static StateStoreBroker single(Path directory) {
		return StateStoreBroker.builder().port(0).storage(StorageOptions.in(directory)).start();
	}

	/** Restores the backup for some nodes of a new cluster, and starts these nodes. */
	private static BrokerCluster restored(String name, String... nodes) throws IOException {
		BrokerCluster founders = new BrokerCluster(Files.createDirectory(directory.resolve(name)),
				UnaryOperator.identity(), new String[0]);
		for (String node : nodes) {
			assertThat(NodeRestore.run(backup, node(name, node), null)).isEqualTo(2);
			founders.start(node, InitialState.NEW_CLUSTER);
		}
		return founders;
	}

	private static Path node(String cluster, String name) {
		return directory.resolve(cluster).resolve("node-" + name);
	}

	/** Connects, even shortly after a change of leadership. */
	private static StoreClient client(StateStoreBroker broker, String clientId) {
		return BrokerCluster.await()
			.ignoreExceptionsInstanceOf(UncheckedIOException.class)
			.until(() -> StoreClient.connect(broker.port(), clientId), Objects::nonNull);
	}

	private static String text(RawPublish reply) {
		return Resp.text(reply);
	}

	@Order(1)
	@Test
	void clusterStartsWithStoreBackup() {
		for (StateStoreBroker broker : cluster.brokers()) {
			try (StoreClient client = client(broker, "reader")) {
				assertThat(client.value("k")).isEqualTo("v");
				assertThat(client.value("later")).isNull();
				assertThat(text(client.call("SET", "lock", "other", "NX", "PX", "1000"))).isEqualTo(":-1⏎");
			}
		}
		try (StoreClient client = client(cluster.broker("a"), "client")) {
			assertThat(Hlc.of(client.exchange(remembered))).isEqualTo(rememberedVersion);
		}
	}

	@Order(2)
	@Test
	void versionsExceedThoseAfterBackupOnce() {
		Hlc first;
		try (StoreClient client = client(cluster.broker(cluster.leader()), "writer")) {
			first = Hlc.of(client.call("SET", "k", "2"));
		}
		assertThat(first).isGreaterThan(lost);
		assertThat(first.wall()).isGreaterThanOrEqualTo(lost.wall() + MAX_DRIFT_MILLIS);
		String before = cluster.leader();
		cluster.stop(before);
		cluster.awaitReady();
		cluster.start(before, InitialState.EXISTING);
		cluster.awaitReady();
		try (StoreClient client = client(cluster.broker(before), "writer")) {
			assertThat(client.value("k")).isEqualTo("2");
			Hlc next = Hlc.of(client.call("SET", "k", "3"));
			assertThat(next).isGreaterThan(first);
			assertThat(next.wall()).isLessThan(first.wall() + MAX_DRIFT_MILLIS);
		}
	}

	@Order(3)
	@Test
	void backupThroughFollowerHasAcknowledgedWrites() throws Exception {
		String follower = cluster.follower();
		Path file = directory.resolve("cluster.backup");
		Hlc last;
		try (StoreClient client = client(cluster.broker(cluster.leader()), "writer")) {
			last = Hlc.of(client.call("SET", "acknowledged", "v"));
		}
		BackupReader.write(cluster.broker(follower).port(), file);
		Path restored = directory.resolve("restored");
		StoreDirectory.restore(file, restored, null);
		assertThat(StoreDirectory.check(restored).isIntact()).isTrue();
		try (StateStoreBroker broker = single(restored); StoreClient client = client(broker, "client")) {
			assertThat(client.value("acknowledged")).isEqualTo("v");
			assertThat(text(client.call("SET", "lock", "other", "NX", "PX", "1000"))).isEqualTo(":-1⏎");
			assertThat(Hlc.of(client.exchange(remembered))).isEqualTo(rememberedVersion);
			assertThat(Hlc.of(client.call("SET", "k", "4"))).isGreaterThan(last);
		}
		NodeRestore.run(file, directory.resolve("again"), null);
	}

	@Order(9)
	@Test
	void stoppedNodeCanBeSaved() throws Exception {
		String node = cluster.follower();
		Path file = directory.resolve("node.backup");
		assertThatExceptionOfType(LogException.class).isThrownBy(() -> NodeBackup.run(node("cluster", node), file))
			.withMessageContaining("in use");
		assertThat(file).doesNotExist();
		try (StoreClient client = client(cluster.broker(cluster.leader()), "writer")) {
			client.call("SET", "last", "v");
		}
		List.of("a", "b", "c").forEach(cluster::stop);
		assertThat(NodeBackup.run(node("cluster", node), file)).isEqualTo(4);
		assertThatExceptionOfType(StoreDirectoryException.class)
			.isThrownBy(() -> NodeBackup.run(node("cluster", node), file))
			.withMessageContaining("Name another file");
		assertThatExceptionOfType(StoreDirectoryException.class)
			.isThrownBy(() -> NodeBackup.run(directory, directory.resolve("other.backup")))
			.withMessageContaining("does not belong to a cluster node");
		try (Stream<Path> files = Files.walk(node("cluster", node).resolve("snapshots"))) {
			for (Path snapshot : files.filter((path) -> path.toString().endsWith(".snapshot")).toList()) {
				Files.delete(snapshot);
			}
		}
		Path incomplete = directory.resolve("incomplete.backup");
		assertThatExceptionOfType(StoreDirectoryException.class)
			.isThrownBy(() -> NodeBackup.run(node("cluster", node), incomplete))
			.withMessageContaining("has no snapshot of the entries before 2");
		assertThat(incomplete).doesNotExist();
		Path joining = Files.createDirectories(directory.resolve("joining"));
		Files.createDirectory(joining.resolve("raft"));
		assertThatExceptionOfType(StoreDirectoryException.class).isThrownBy(() -> NodeBackup.run(joining, incomplete))
			.withMessageContaining("has no entries yet");
		Path restored = directory.resolve("saved");
		StoreDirectory.restore(file, restored, null);
		try (StateStoreBroker broker = single(restored); StoreClient client = client(broker, "client")) {
			assertThat(client.value("acknowledged")).isEqualTo("v");
			assertThat(text(client.call("SET", "lock", "other", "NX", "PX", "1000"))).isEqualTo(":-1⏎");
			assertThat(Hlc.of(client.exchange(remembered))).isEqualTo(rememberedVersion);
		}
	}

	@Order(6)
	@Test
	void startsOnceFounderWithoutBackupIsCorrected() throws Exception {
		try (CapturedLog log = new CapturedLog("io.statestore.cluster.transport", Level.WARN);
				BrokerCluster founders = restored("mixed", "a", "b")) {
			founders.start("c", InitialState.NEW_CLUSTER);
			BrokerCluster.await()
				.until(() -> log.messages()
					.stream()
					.filter((message) -> message.contains("began with different backups"))
					.count() >= 2);
			assertThat(founders.brokers()).noneMatch(StateStoreBroker::isReady);
			founders.stop("c");
			NodeSeed.deleteAll(node("mixed", "c"));
			NodeRestore.run(backup, node("mixed", "c"), null);
			founders.start("c", InitialState.NEW_CLUSTER);
			founders.elect();
			founders.awaitReady();
			try (StoreClient client = client(founders.broker("c"), "client")) {
				assertThat(client.value("k")).isEqualTo("v");
			}
		}
	}

}
