package io.statestore.broker.conformance;

import java.nio.file.Path;
import java.util.function.UnaryOperator;

import io.statestore.cluster.BrokerCluster;
import org.junit.jupiter.api.io.TempDir;

/** Three brokers of one cluster. Clients connect to a follower. */
class ClusterConformanceTests extends StateStoreConformance {

	@TempDir
	private static Path directory;

	@Override
	TestedServer start() throws Exception {
		BrokerCluster cluster = new BrokerCluster(directory, UnaryOperator.identity());
		int port = cluster.broker(cluster.follower()).port();
		return new TestedServer() {

			@Override
			public int port() {
				return port;
			}

			@Override
			public void close() {
				cluster.close();
			}

		};
	}

}
