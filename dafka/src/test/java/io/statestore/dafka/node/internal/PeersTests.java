package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.Ticker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Connections to peers while messages from other peers arrive continuously. */
@Timeout(60)
class PeersTests {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private final Transport transport = new Transport("test", Duration.ofSeconds(10), Ticker.SYSTEM, null);

	private final Subscriber subscriber = new Subscriber(this.transport, "SUB", SocketLimits.subscriber(1_024, 0),
			List.of(new byte[] { 'M' }));

	private final Peers peers = new Peers(this.subscriber, 4 * SECOND, 1_000, null, 0);

	private long now;

	@AfterEach
	void close() {
		this.transport.close();
	}

	@Test
	void reconnectsAfterProtocolError() throws IOException {
		try (ServerSocket node = listen()) {
			hear(node);
			violateProtocol(node);
			forget();
			hear(node);
			accept(node).close();
		}
	}

	@Test
	void receivesMessagesFromLostPeer() throws IOException {
		try (ServerSocket node = listen()) {
			hear(node);
			send(accept(node), 10);
			node.close();
			for (int i = 0; i < 10; i++) {
				this.now += 11 * SECOND;
				call(() -> this.peers.expire(this.now));
				awaitMessage();
			}
			await("the end of the connection").until(() -> {
				this.now += 11 * SECOND;
				call(() -> {
					this.subscriber.receive();
					this.peers.expire(this.now);
				});
				return this.peers.size() == 0;
			});
		}
	}

	@Test
	void receivesMessagesFromDisconnectedPeer() throws IOException {
		try (ServerSocket node = listen()) {
			hear(node);
			try (ZmtpClient connection = accept(node)) {
				connection.send(ZmtpClient
					.concat(Collections.nCopies(10, ZmtpClient.frame(0, new byte[] { 'M' })).toArray(byte[][]::new)));
				awaitMessage();
				call(() -> this.subscriber.disconnect(endpoint(node)));
				assertThat(connection.awaitClosed(Duration.ofSeconds(30))).isTrue();
				for (int i = 1; i < 10; i++) {
					awaitMessage();
				}
			}
		}
	}

	@Test
	void connectsLessOftenToUnstablePeer() throws IOException {
		try (ServerSocket node = listen()) {
			hear(node);
			long start = System.nanoTime();
			for (int i = 0; i < 5; i++) {
				accept(node).close();
			}
			assertThat(System.nanoTime() - start).isGreaterThan(SECOND);
		}
	}

	@Test
	void namedHostGetsItsShareOfSlots() {
		for (int port = 1; port <= 40; port++) {
			Bytes id = Bytes.of("node" + port);
			String endpoint = "tcp://node.invalid:" + port;
			call(() -> this.peers.heard(id, endpoint, this.now));
		}
		for (int i = 0; i < 3; i++) {
			this.now += SECOND;
			call(() -> this.peers.connect(this.now));
		}
		assertThat(this.peers.size()).isEqualTo(16);
	}

	@Test
	void connectsToNamedHostOnceItIsFound() throws IOException {
		AtomicInteger lookups = new AtomicInteger();
		this.transport.resolver = (host) -> (lookups.incrementAndGet() > 1) ? "127.0.0.1" : null;
		try (ServerSocket node = listen()) {
			hear("node", "tcp://node.invalid:" + node.getLocalPort());
			accept(node).close();
		}
	}

	@Test
	void connectsToOtherPeersWhileNameServiceHangs() throws IOException {
		CountDownLatch hanging = new CountDownLatch(1);
		this.transport.resolver = (host) -> {
			TowerNameTests.awaitQuietly(hanging);
			return null;
		};
		try (ServerSocket node = listen()) {
			hear("named", "tcp://node.invalid:1");
			hear(node);
			accept(node).close();
		}
		finally {
			hanging.countDown();
		}
	}

	private void hear(ServerSocket node) {
		hear("node", endpoint(node));
	}

	private void hear(String id, String endpoint) {
		this.now += SECOND;
		call(() -> {
			this.peers.heard(Bytes.of(id), endpoint, this.now);
			this.peers.connect(this.now);
		});
	}

	private void forget() {
		this.now += 11 * SECOND;
		call(() -> this.peers.expire(this.now));
		assertThat(this.peers.size()).isZero();
	}

	private void awaitMessage() {
		await("a message").until(() -> this.transport.loop.submit(this.subscriber::receive).get() != null);
	}

	private void call(Runnable task) {
		this.transport.loop.submit(task).syncUninterruptibly();
	}

	private static String endpoint(ServerSocket node) {
		return "tcp://127.0.0.1:" + node.getLocalPort();
	}

	private static void send(ZmtpClient connection, int messages) {
		byte[] message = ZmtpClient.frame(0, "M".getBytes(StandardCharsets.US_ASCII));
		for (int i = 0; i < messages; i++) {
			connection.send(message);
		}
		connection.close();
	}

	static ServerSocket listen() throws IOException {
		return listen(0);
	}

	private static ServerSocket listen(int port) throws IOException {
		ServerSocket server = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
		server.setSoTimeout(30_000);
		return server;
	}

	/** Accepts a connection and sends a greeting with an unknown mechanism. */
	static void violateProtocol(ServerSocket server) throws IOException {
		try (ZmtpClient connection = ZmtpClient.accepted(server.accept())) {
			connection.send(ZmtpClient.greeting(3, 0, "UNKNOWN"));
			assertThat(connection.awaitClosed(Duration.ofSeconds(30))).isTrue();
		}
	}

	/** Accepts a connection as a publisher. */
	static ZmtpClient accept(ServerSocket server) throws IOException {
		ZmtpClient connection = ZmtpClient.accepted(server.accept());
		connection.send(ZmtpClient.greeting(), ZmtpClient.ready("PUB"));
		connection.skipHandshake();
		return connection;
	}

}
