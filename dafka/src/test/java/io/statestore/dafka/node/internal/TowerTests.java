package io.statestore.dafka.node.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaException;
import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.tower.Tower;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * A tower, used through raw sockets in the same way as by nodes of the reference
 * implementation.
 */
@Timeout(60)
class TowerTests {

	@Test
	void welcomesEveryNewSubscriber() {
		try (Tower tower = start(); ZContext context = new ZContext()) {
			for (int i = 0; i < 3; i++) {
				assertThat(texts(receive(subscriber(context, tower, "W")))).containsExactly("W");
			}
		}
	}

	@Test
	void limitsBeaconRate() {
		try (Tower tower = start(); ZmtpClient client = ZmtpClient.handshake(tower.address().inPort(), "PUB")) {
			long start = System.nanoTime();
			client.send(beacons(1_000));
			await("all beacons").until(() -> tower.beacons() == 1_000);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(150));
		}
	}

	@Test
	void limitsBeaconRateInSmallGroups() {
		try (Tower tower = start(); ZmtpClient client = ZmtpClient.handshake(tower.address().inPort(), "PUB")) {
			byte[] group = beacons(25);
			long start = System.nanoTime();
			for (int sent = 25; sent <= 1_000; sent += 25) {
				client.send(group);
				while (tower.beacons() < sent && tower.failure() == null) {
					Thread.onSpinWait();
				}
			}
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(150));
		}
	}

	private static byte[] beacons(int count) {
		byte[] beacon = ZmtpClient.message(new Beacons.Announcement(Bytes.of("node"), "10.1.2.3", 4711).frames());
		return ZmtpClient.concat(Collections.nCopies(count, beacon).toArray(byte[][]::new));
	}

	@Test
	void relaysAnnouncedHost() {
		try (Tower tower = start(); ZContext context = new ZContext()) {
			ZMQ.Socket subscriber = subscriber(context, tower, "B");
			publish(context, tower, "B", "node", "10.1.2.3", "4711");
			assertThat(texts(receive(subscriber))).containsExactly("B", "node", "tcp://10.1.2.3:4711");
		}
	}

	@Test
	void relaysConnectionAddressWithoutHost() {
		try (Tower tower = start(); ZContext context = new ZContext()) {
			ZMQ.Socket subscriber = subscriber(context, tower, "B");
			publish(context, tower, "B", "node", "", "4711");
			assertThat(texts(receive(subscriber))).containsExactly("B", "node", "tcp://127.0.0.1:4711");
		}
	}

	@Test
	void relaysConfiguredHostInsteadOfLoopback() {
		try (Tower tower = Tower.builder().inPort(0).outPort(0).advertisedHost("tower.local").start();
				ZContext context = new ZContext()) {
			ZMQ.Socket subscriber = subscriber(context, tower, "B");
			publish(context, tower, "B", "node", "", "4711");
			assertThat(texts(receive(subscriber))).containsExactly("B", "node", "tcp://tower.local:4711");
		}
	}

	@Test
	void announcesNoAddressOfVanishedInterface() {
		AtomicReference<@Nullable String> own = new AtomicReference<>("10.1.2.3");
		try (TowerServer tower = new TowerServer("*", 0, 0, own::get, null); ZContext context = new ZContext()) {
			ZMQ.Socket subscriber = subscriber(context, tower.address(), "B");
			ZMQ.Socket publisher = publish(context, tower.address(), "B", "node", "", "4711");
			assertThat(texts(receive(subscriber))).endsWith("tcp://10.1.2.3:4711");
			own.set(null);
			await("the loopback address").until(() -> {
				send(publisher, "B", "node", "", "4711");
				return texts(receive(subscriber)).contains("tcp://127.0.0.1:4711");
			});
		}
	}

	@Test
	void dropsAndCountsOtherMessages() {
		try (Tower tower = start(); ZContext context = new ZContext()) {
			ZMQ.Socket publisher = publish(context, tower, "B", "node", "10.1.2.3", "4711");
			await("the beacon").until(() -> tower.beacons() == 1);
			send(publisher, "B");
			send(publisher, "B", "node", "10.1.2.3", "0");
			send(publisher, "B", "node", "10.1.2.3", "port");
			send(publisher, "B", "node", "a/b", "4711");
			send(publisher, "B", "", "10.1.2.3", "4711");
			send(publisher, "X", "node", "10.1.2.3", "4711");
			await("the malformed").until(() -> tower.malformed() == 6);
			assertThat(tower.beacons()).isOne();
		}
	}

	@Test
	void reportsAddressInUse() {
		try (Tower tower = start()) {
			assertThatExceptionOfType(DafkaException.class)
				.isThrownBy(() -> Tower.builder().inPort(tower.address().inPort()).outPort(0).start())
				.withMessageContaining("'inPort' " + tower.address().inPort())
				.withMessageContaining("port that is free");
		}
	}

	@Test
	void refusesInvalidOptions() {
		assertThatIllegalArgumentException().isThrownBy(() -> Tower.builder().inPort(70_000))
			.withMessage("'inPort' is 70000 but must be 0 to 65535");
		assertThatIllegalArgumentException().isThrownBy(() -> new TowerAddress("a b", 1, 2))
			.withMessageContaining("'tower host' is 'a b'");
	}

	private static Tower start() {
		return Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0).start();
	}

	private static ZMQ.Socket subscriber(ZContext context, Tower tower, String prefix) {
		return subscriber(context, tower.address(), prefix);
	}

	private static ZMQ.Socket subscriber(ZContext context, TowerAddress tower, String prefix) {
		ZMQ.Socket socket = context.createSocket(SocketType.SUB);
		socket.setHandshakeIvl(1_000);
		socket.connect("tcp://127.0.0.1:" + tower.outPort());
		socket.subscribe("W");
		// The welcome shows that the subscriptions have arrived.
		if (!prefix.equals("W")) {
			socket.subscribe(prefix);
			receive(socket);
			socket.unsubscribe("W");
			socket.subscribe("W");
			receive(socket);
		}
		return socket;
	}

	private static ZMQ.Socket publish(ZContext context, Tower tower, String... frames) {
		return publish(context, tower.address(), frames);
	}

	private static ZMQ.Socket publish(ZContext context, TowerAddress tower, String... frames) {
		ZMQ.Socket socket = context.createSocket(SocketType.XPUB);
		socket.setHandshakeIvl(1_000);
		socket.setReceiveTimeOut(30_000);
		socket.connect("tcp://127.0.0.1:" + tower.inPort());
		assertThat(socket.recv()).containsExactly(1);
		send(socket, frames);
		return socket;
	}

	private static void send(ZMQ.Socket socket, String... frames) {
		TestBeacons.send(socket, Stream.of(frames).map((frame) -> frame.getBytes(StandardCharsets.US_ASCII)).toList());
	}

	private static List<byte[]> receive(ZMQ.Socket socket) {
		socket.setReceiveTimeOut(30_000);
		byte @Nullable [] first = socket.recv();
		assertThat(first).as("a message within 30 s").isNotNull();
		return TestBeacons.rest(socket, first);
	}

	private static List<String> texts(List<byte[]> frames) {
		return frames.stream().map((frame) -> new String(frame, StandardCharsets.US_ASCII)).toList();
	}

}
