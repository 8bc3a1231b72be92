package io.statestore.dafka.node.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.awaitility.Awaitility.await;

/**
 * Random violations of ZMTP against each kind of node. After each batch, a canary record
 * shows that all nodes still work. {@code -Dzmtp.fuzz.seed} repeats a run;
 * {@code -Dzmtp.fuzz.connections} makes it longer.
 */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ZmtpFuzzTests {

	private static final long SEED = Long.getLong("zmtp.fuzz.seed", System.nanoTime());

	private static final int CONNECTIONS = Integer.getInteger("zmtp.fuzz.connections", 10);

	private final AttackedCluster cluster = new AttackedCluster();

	@BeforeAll
	void serve() {
		this.cluster.assertServes();
	}

	@AfterAll
	void close() {
		this.cluster.close();
	}

	@ParameterizedTest
	@EnumSource
	void nodesServeAfterHostileTraffic(HostileTraffic traffic) {
		Random random = new Random(SEED);
		List<ZmtpClient> clients = new ArrayList<>();
		try {
			this.cluster.ports().forEach((node, port) -> {
				for (int i = 0; i < CONNECTIONS; i++) {
					ZmtpClient client = traffic.isAfterHandshake()
							? ZmtpClient.handshake(port, AttackedCluster.peerType(node)) : ZmtpClient.connect(port);
					clients.add(client);
					sendInPieces(client, traffic.bytes(random), random);
				}
				this.cluster.assertServes();
			});
			clients.forEach(ZmtpClient::close);
			this.cluster.assertServes();
			this.cluster.assertAcceptsNodes();
		}
		catch (AssertionError | RuntimeException ex) {
			throw new AssertionError("Repeat with -Dzmtp.fuzz.seed=" + SEED, ex);
		}
		finally {
			clients.forEach(ZmtpClient::close);
		}
	}

	@ParameterizedTest
	@EnumSource
	void nodesServeAfterHostilePublisher(HostileTraffic traffic) {
		try (HostilePublisher publisher = new HostilePublisher(traffic, SEED, this.cluster.port("tower in"))) {
			await("nodes have connected").until(() -> {
				publisher.announce();
				return publisher.connections() >= 2 * this.cluster.ports().size();
			});
			this.cluster.assertServes();
			this.cluster.assertAcceptsNodes();
		}
		catch (AssertionError | RuntimeException ex) {
			throw new AssertionError("Repeat with -Dzmtp.fuzz.seed=" + SEED, ex);
		}
		this.cluster.assertServes();
	}

	private static void sendInPieces(ZmtpClient client, byte[] bytes, Random random) {
		int split = random.nextInt(bytes.length + 1);
		byte[] first = new byte[split];
		byte[] second = new byte[bytes.length - split];
		System.arraycopy(bytes, 0, first, 0, split);
		System.arraycopy(bytes, split, second, 0, second.length);
		client.send(first);
		if (random.nextInt(3) > 0) {
			client.send(second);
		}
		if (random.nextBoolean()) {
			client.close();
		}
	}

}
