package io.statestore.cluster;

import java.nio.file.Path;
import java.util.List;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.cluster.ClusterOptions.InitialState;
import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests requests that a leader has not answered before it was deposed. */
@Timeout(120)
class LostRequestsTests {

	private static final int MAX_SCANS = 4;

	@TempDir
	Path directory;

	@Test
	void lostScansDoNotCountInNextTerm() throws Exception {
		try (BrokerCluster cluster = new BrokerCluster(this.directory, (broker) -> broker)) {
			String name = cluster.leader();
			StateStoreBroker leader = cluster.broker(name);
			List<String> others = List.of("a", "b", "c").stream().filter((node) -> !node.equals(name)).toList();
			try (StoreClient client = StoreClient.connect(leader.port(), "client")) {
				others.forEach(cluster::stop);
				// This SET cannot be committed, and the SCANs wait for it.
				client.mqtt().send(client.request(Resp.command("SET", "k", "v")));
				for (int i = 0; i <= MAX_SCANS; i++) {
					client.mqtt().send(client.request(Resp.command("SCAN", "*")));
				}
				BrokerCluster.await().until(() -> delayedRequests(leader) == 1);
				cluster.depose(name);
				BrokerCluster.await().until(() -> !leader.isReady());
			}
			others.forEach((node) -> cluster.start(node, InitialState.EXISTING));
			cluster.elect();
			cluster.awaitReady();
			BrokerCluster.await().until(() -> leads(cluster, name));
			try (StoreClient client = StoreClient.connect(leader.port(), "client")) {
				assertThat(Resp.text(client.call("SCAN", "*"))).startsWith("*");
			}
			assertThat(delayedRequests(leader)).isEqualTo(1);
		}
	}

	private static boolean leads(BrokerCluster cluster, String name) {
		String leader = cluster.leader();
		if (!leader.equals(name)) {
			try {
				cluster.broker(leader).transferLeadership(name);
			}
			catch (IllegalStateException ex) {
				// The node has not caught up, or the leader has changed.
			}
		}
		return leader.equals(name);
	}

	private static long delayedRequests(StateStoreBroker broker) {
		return broker.statistics().principals().delayedRequests();
	}

}
