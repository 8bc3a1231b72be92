package io.statestore.cluster;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.cluster.ClusterOptions;
import io.statestore.broker.cluster.ClusterOptions.InitialState;
import io.statestore.broker.cluster.NodeAddress;
import io.statestore.broker.cluster.NodeEvents;
import io.statestore.broker.cluster.StreamTarget;
import io.statestore.broker.conformance.Hlc;
import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.server.Replica;
import io.statestore.broker.server.ReplicatedLog;
import io.statestore.broker.server.StateStoreServerOptions;
import io.statestore.protocol.ClusterNodeState;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests starts of a node with an empty directory, and with the directory of an earlier
 * start.
 */
class BrokerStartTests {

	@TempDir
	private Path directory;

	private ClusterOptions options;

	@BeforeEach
	void createOptions() throws Exception {
		this.options = ClusterOptions.of("a", Map.of("a", new NodeAddress("127.0.0.1", TestCluster.newMember().port())),
				this.directory.resolve("data"), TestNodes.certificate(this.directory));
	}

	private StateStoreBroker start(InitialState start) {
		return StateStoreBroker.builder().cluster(this.options.withInitialState(start)).start();
	}

	@Test
	void needsDecisionAboutEmptyDirectory() {
		assertThatIllegalStateException().isThrownBy(() -> start(InitialState.EXISTING))
			.withMessageContainingAll("'a'", "data has no data", "--new-cluster", "--join");
	}

	@Test
	void startsAgainWithoutNewCluster() {
		try (StateStoreBroker broker = start(InitialState.NEW_CLUSTER)) {
			BrokerCluster.await().until(broker::isReady);
		}
		assertThatIllegalStateException().isThrownBy(() -> start(InitialState.NEW_CLUSTER))
			.withMessageContaining("Omit --new-cluster");
		try (StateStoreBroker broker = start(InitialState.EXISTING)) {
			BrokerCluster.await().until(broker::isReady);
			assertThat(broker.leadership()).hasValueSatisfying((leadership) -> {
				assertThat(leadership.leading()).isTrue();
				assertThat(leadership.leader()).isEqualTo("a");
			});
		}
	}

	@Test
	void storeLimitsDoNotDependOnHeap() {
		try (StateStoreBroker broker = start(InitialState.NEW_CLUSTER)) {
			assertThat(broker.statistics().store().maxKeys()).isEqualTo(131_072);
		}
		try (StateStoreBroker broker = StateStoreBroker.builder()
			.cluster(this.options)
			.limits((limits) -> limits.withMaxKeys(5))
			.start()) {
			assertThat(broker.statistics().store().maxKeys()).isEqualTo(5);
			assertThat(broker.statistics().store().maxBytes()).isEqualTo(64 << 20);
		}
	}

	/** A node of an earlier version ends at a log entry that it cannot read. */
	@Test
	@Timeout(120)
	void refusesReplaceUntilAllNodesRunThisVersion() throws Exception {
		List<Throwable> failures = new CopyOnWriteArrayList<>();
		try (BrokerCluster cluster = new BrokerCluster(this.directory, Duration.ofSeconds(3), UnaryOperator.identity(),
				new String[0]);
				Replica replica = new Replica(StateStoreServerOptions.defaults(), Long.MAX_VALUE, failures::add)) {
			cluster.start("a", InitialState.NEW_CLUSTER);
			cluster.start("b", InitialState.NEW_CLUSTER);
			try (RaftNode earlier = cluster.startEarlierVersion("c", replica, new Follower(failures))) {
				cluster.elect();
				cluster.awaitReady();
				assertRefuses(cluster);
				assertThat(earlier.status().role()).isEqualTo(ClusterNodeState.Role.FOLLOWER);
			}
			assertRefuses(cluster);
			cluster.start("c", InitialState.EXISTING);
			BrokerCluster.await().until(() -> replace(cluster).equals("+OK⏎"));
			cluster.stop(cluster.leader());
			BrokerCluster.await().until(() -> replace(cluster).equals("+OK⏎"));
		}
		assertThat(failures).isEmpty();
	}

	private static void assertRefuses(BrokerCluster cluster) {
		BrokerCluster.await().until(() -> replace(cluster).startsWith("-ERR not available until all nodes"));
	}

	/**
	 * Sets and replaces a key. Returns the second reply, or an empty string if there is
	 * no connection.
	 */
	private static String replace(BrokerCluster cluster) {
		try (StoreClient client = StoreClient.connect(cluster.broker(cluster.follower()).port(), "client")) {
			String version = Hlc.of(client.call("SET", "k", "1")).unpadded();
			String reply = Resp.text(client.call("REPLACE", "k", "2", version));
			assertThat(client.value("k")).isEqualTo(reply.startsWith("+") ? "2" : "1");
			return reply;
		}
		catch (UncheckedIOException | AssertionError ex) {
			// Another node leads.
			return "";
		}
	}

	/** Events of a node that must not lead. */
	private record Follower(List<Throwable> failures) implements NodeEvents {

		@Override
		public void leading(ReplicatedLog log) {
			this.failures.add(new IllegalStateException("It leads"));
		}

		@Override
		public void following() {
		}

		@Override
		public void failed(Throwable failure) {
			this.failures.add(failure);
		}

		@Override
		public @Nullable StreamTarget streamTarget() {
			return null;
		}

	}

	@Test
	void joiningNodeWaits() {
		try (StateStoreBroker broker = start(InitialState.JOIN)) {
			assertThat(broker.isReady()).isFalse();
			assertThat(broker.leadership().orElseThrow().leader()).isNull();
		}
	}

}
