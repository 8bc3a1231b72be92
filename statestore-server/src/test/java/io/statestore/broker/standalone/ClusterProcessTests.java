package io.statestore.broker.standalone;

import java.nio.file.Path;
import java.util.List;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Three processes that form one store, started as users do. */
@Tag("long")
@Timeout(180)
class ClusterProcessTests {

	private static final List<String> NAMES = List.of("a", "b", "c");

	@TempDir
	private Path directory;

	private ClusterProcesses cluster;

	@BeforeEach
	void start() {
		this.cluster = new ClusterProcesses(this.directory, NAMES);
		this.cluster.startAll("--new-cluster");
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
		this.cluster.start(killed);
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

	@Test
	void stoppedNodesKeepDataAndExitNormally() {
		try (StoreClient client = this.cluster.client("a")) {
			client.call("SET", "k", "v");
		}
		NAMES.forEach((name) -> assertThat(this.cluster.stop(name)).isZero());
		this.cluster.startAll();
		try (StoreClient client = this.cluster.client("b")) {
			assertThat(Resp.text(client.call("GET", "k"))).contains("v");
		}
	}

}
