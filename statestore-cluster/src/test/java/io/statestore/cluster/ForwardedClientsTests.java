package io.statestore.cluster;

import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Many clients of one address, connected to a follower. */
@Timeout(120)
class ForwardedClientsTests {

	/** A sixteenth is for connections without a CONNECT. */
	private static final long CLIENT_MEMORY = 16 << 20;

	private static final int CLIENTS = 40;

	@TempDir
	private Path directory;

	@Test
	void followerServesAsManyClientsAsItsMemoryPermits() throws Exception {
		List<RawMqttConnection> clients = new ArrayList<>();
		try (BrokerCluster cluster = new BrokerCluster(this.directory,
				(broker) -> broker.limits((limits) -> limits.withClientMemory(CLIENT_MEMORY)))) {
			int port = cluster.broker(cluster.follower()).port();
			for (int i = 0; i < CLIENTS; i++) {
				RawMqttConnection client = new RawMqttConnection(new Socket(), port);
				clients.add(client);
				assertThat(client.connect("client-" + i).reason()).isZero();
			}
			for (RawMqttConnection client : clients) {
				client.ping();
			}
		}
		finally {
			for (RawMqttConnection client : clients) {
				client.close();
			}
		}
	}

}
