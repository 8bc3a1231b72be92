package io.statestore.broker.mqtt;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

import io.statestore.broker.standalone.ClusterProcesses;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests traffic while a cluster's leader and followers are killed in turn. Clients
 * connect to any running node. {@code -Dnode.kills=100} sets the number of kills.
 */
@Tag("long")
@Tag("nightly")
class KilledNodesTrafficTests extends TrafficTest {

	@TempDir
	Path directory;

	private @Nullable ClusterProcesses cluster;

	/** Node that was killed and is not running yet. */
	private @Nullable String killed;

	private int kills;

	@BeforeEach
	void startCluster() {
		this.cluster = new ClusterProcesses(this.directory, List.of("a", "b", "c"));
		this.cluster.startAll("--anonymous", "all", "--new-cluster");
	}

	@AfterEach
	void stopCluster() {
		if (this.cluster != null) {
			this.cluster.close();
			this.cluster = null;
		}
	}

	@Override
	int start() {
		ClusterProcesses cluster = Objects.requireNonNull(this.cluster);
		List<String> names = cluster.names();
		return cluster.port(names.get(this.random.nextInt(names.size())));
	}

	/** Kills a node once the previously killed node runs again. */
	@Override
	void end() {
		ClusterProcesses cluster = this.cluster;
		if (cluster == null) {
			return;
		}
		if (this.killed != null) {
			cluster.start(this.killed, "--anonymous", "all");
		}
		cluster.awaitReady();
		this.killed = (this.kills++ % 2 == 0) ? cluster.leader() : cluster.follower();
		cluster.kill(this.killed);
	}

	@Override
	int rounds() {
		return Integer.getInteger("node.kills", 4);
	}

}
