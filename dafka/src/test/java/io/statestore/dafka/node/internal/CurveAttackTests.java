package io.statestore.dafka.node.internal;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static io.statestore.dafka.node.internal.ZmtpClient.command;
import static io.statestore.dafka.node.internal.ZmtpClient.concat;
import static io.statestore.dafka.node.internal.ZmtpClient.frame;
import static io.statestore.dafka.node.internal.ZmtpClient.longFrame;
import static org.assertj.core.api.Assertions.assertThat;

/** Peers without a key that attack a network with CURVE. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CurveAttackTests {

	private static final byte[] GREETING = ZmtpClient.greeting(3, 0, "CURVE");

	private final TestKeys keys;

	private final AttackedCluster cluster;

	CurveAttackTests(@TempDir Path directory) {
		this.keys = new TestKeys(directory, "tower", "store", "producer", "consumer");
		this.cluster = new AttackedCluster(this.keys);
	}

	@AfterAll
	void close() {
		this.cluster.close();
	}

	@Test
	void servesDuringHostileHandshakes() {
		List<byte[]> attacks = attacks();
		List<ZmtpClient> clients = new ArrayList<>();
		this.cluster.assertServes();
		for (int port : this.cluster.ports().values()) {
			for (byte[] attack : attacks) {
				ZmtpClient client = ZmtpClient.connect(port);
				clients.add(client);
				client.send(attack);
			}
		}
		this.cluster.assertServes();
		this.cluster.assertAcceptsNodes();
		for (ZmtpClient client : clients) {
			client.send(frame(0, new byte[] { 1, 'M' }));
		}
		this.cluster.assertServes();
		assertThat(this.cluster.tower().malformed()).isZero();
		clients.forEach(ZmtpClient::close);
	}

	private static List<byte[]> attacks() {
		byte[] noise = new byte[4_000];
		new Random(3).nextBytes(noise);
		byte[] hello = ByteBuffer.allocate(194).put((byte) 1).array();
		return List.of(concat(ZmtpClient.greeting(), ZmtpClient.ready("SUB")), concat(GREETING, noise),
				concat(GREETING, ZmtpClient.ready("SUB")), concat(GREETING, command("HELLO", hello)),
				concat(GREETING, command("INITIATE", new byte[900])), concat(GREETING, command("ERROR", new byte[1])),
				concat(GREETING, frame(0, concat(new byte[] { 7 }, "MESSAGE".getBytes(), new byte[40]))),
				concat(GREETING, longFrame(0, -1, new byte[0])), GREETING, new byte[] { -1 });
	}

	@Test
	void appliesLimitsToNodesWithKeys() {
		this.cluster.assertServes();
		try (CurveClient client = new CurveClient(this.cluster.port("producer"), this.keys.options("consumer"),
				this.keys.options("producer"))) {
			// The first command is too short; the second requests a timer.
			client.send(ZmtpClient.COMMAND, concat(new byte[] { 4 }, "PING".getBytes()));
			client.send(ZmtpClient.COMMAND, concat(new byte[] { 4 }, "PING".getBytes(), new byte[] { -1, -1 }));
			this.cluster.assertServes();
			client.send(0, "no subscription".getBytes());
			assertThat(client.awaitClosed()).isTrue();
		}
		this.cluster.assertServes();
	}

	@Test
	void closesConnectionsWithoutCurve() {
		for (int port : this.cluster.ports().values()) {
			try (ZmtpClient client = ZmtpClient.connect(port)) {
				client.send(ZmtpClient.greeting(), ZmtpClient.ready("SUB"));
				assertThat(client.awaitClosed(Duration.ofSeconds(30))).isTrue();
			}
		}
	}

	/** Uses a separate cluster, which does not accept more connections for a while. */
	@Test
	void servesDuringGreetingFlood() {
		List<ZmtpClient> clients = new ArrayList<>();
		try (AttackedCluster flooded = new AttackedCluster(this.keys)) {
			flooded.assertServes();
			for (int i = 0; i < 2 * HandshakeLimit.MAX; i++) {
				ZmtpClient client = ZmtpClient.connect(flooded.port("producer"));
				clients.add(client);
				client.send(GREETING);
			}
			flooded.assertServes();
		}
		clients.forEach(ZmtpClient::close);
	}

	@Test
	void limitsHandshakes() {
		HandshakeLimit limit = new HandshakeLimit();
		for (int i = 0; i < HandshakeLimit.MAX; i++) {
			assertThat(limit.admits("10.0.0.1:" + i, 0)).isEqualTo(i < HandshakeLimit.MAX / 2);
		}
		assertThat(limit.admits("10.0.0.2:1", 0)).isTrue();
		assertThat(limit.admits("10.0.0.1:1", Duration.ofSeconds(6).toNanos())).isTrue();
	}

}
