package io.statestore.dafka.node.internal;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.statestore.dafka.node.internal.ZmtpClient.longFrame;

/** Single connections that stop a node with unguarded sockets. */
@Timeout(180)
class ZmtpAttackTests {

	@ParameterizedTest
	@ValueSource(strings = { "tower in", "tower out", "store", "producer", "consumer" })
	void survivesNegativeLength(String node) {
		attack(node, List.of(ZmtpClient.greeting(), longFrame(0, -1, new byte[0])));
	}

	@ParameterizedTest
	@ValueSource(strings = { "tower in", "tower out", "store", "producer", "consumer" })
	void survivesTwoGigabyteLength(String node) {
		attack(node, List.of(ZmtpClient.greeting(), longFrame(0, Integer.MAX_VALUE, new byte[0])));
	}

	private void attack(String node, List<byte[]> bytes) {
		try (AttackedCluster cluster = new AttackedCluster()) {
			cluster.assertServes();
			List<ZmtpClient> clients = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				ZmtpClient client = ZmtpClient.connect(cluster.port(node));
				clients.add(client);
				client.send(bytes.toArray(byte[][]::new));
			}
			cluster.assertServes();
			cluster.assertAcceptsNodes();
			clients.forEach(ZmtpClient::close);
			cluster.assertServes();
		}
	}

}
