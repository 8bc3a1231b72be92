package io.statestore.cluster;

import java.nio.file.Path;
import java.util.Map;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.cluster.ClusterOptions;
import io.statestore.broker.cluster.ClusterOptions.InitialState;
import io.statestore.broker.cluster.NodeAddress;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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

	@Test
	void joiningNodeWaits() {
		try (StateStoreBroker broker = start(InitialState.JOIN)) {
			assertThat(broker.isReady()).isFalse();
			assertThat(broker.leadership().orElseThrow().leader()).isNull();
		}
	}

}
