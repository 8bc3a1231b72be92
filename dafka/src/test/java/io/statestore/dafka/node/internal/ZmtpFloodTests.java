package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.statestore.dafka.node.internal.ZmtpClient.MORE;
import static io.statestore.dafka.node.internal.ZmtpClient.frame;
import static io.statestore.dafka.node.internal.ZmtpClient.greeting;
import static io.statestore.dafka.node.internal.ZmtpClient.ready;
import static io.statestore.dafka.node.internal.ZmtpClient.subscription;

/** Peers that try to exhaust the memory of nodes with a 256 MB heap. */
@Tag("long")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("nightly")
class ZmtpFloodTests {

	private static final int CONNECTIONS = 3_000;

	private final Random random = new Random(1);

	private final ClusterProcess nodes;

	private final List<ZmtpClient> clients = new ArrayList<>();

	ZmtpFloodTests() {
		this.nodes = new ClusterProcess();
	}

	@BeforeAll
	void serve() {
		this.nodes.assertServes();
	}

	@AfterAll
	void close() {
		this.nodes.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "tower out", "store" })
	void servesDespiteSilentConnections(String node) throws IOException {
		attack(() -> {
			for (int i = 0; i < CONNECTIONS; i++) {
				this.clients.add(ZmtpClient.connect(port(node)));
			}
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "tower in", "producer" })
	void servesDespiteConnectionsThatGreetAndClose(String node) throws IOException {
		attack(() -> {
			for (int i = 0; i < CONNECTIONS / 3; i++) {
				try (ZmtpClient client = ZmtpClient.connect(port(node))) {
					client.send(greeting(), ready("SUB"));
				}
			}
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "tower out", "store", "producer", "consumer" })
	void servesDespiteRandomSubscriptions(String node) throws IOException {
		attack(() -> {
			for (int i = 0; i < 20; i++) {
				ZmtpClient client = ZmtpClient.handshake(port(node), "SUB");
				this.clients.add(client);
				for (int j = 0; j < 3_000 && client.send(subscription(random(250))); j++) {
					// The node may close the connection.
				}
			}
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "tower in", "store" })
	void servesDespiteEndlessMessage(String node) throws IOException {
		byte[] frame = frame(MORE, random(1_000));
		attack(() -> {
			ZmtpClient client = ZmtpClient.handshake(port(node), AttackedCluster.peerType(node));
			this.clients.add(client);
			for (int i = 0; i < 400_000 && client.send(frame); i++) {
				// The node may close the connection.
			}
		});
	}

	private void attack(Runnable attack) throws IOException {
		try {
			attack.run();
			this.nodes.assertServes();
		}
		finally {
			this.clients.forEach(ZmtpClient::close);
			this.clients.clear();
		}
		this.nodes.assertServes();
	}

	private int port(String node) {
		return Objects.requireNonNull(this.nodes.ports().get(node));
	}

	private byte[] random(int length) {
		byte[] bytes = new byte[length];
		this.random.nextBytes(bytes);
		return bytes;
	}

}
