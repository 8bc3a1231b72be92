package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.Ticker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Connections to peers while messages of other peers arrive continuously. */
@Timeout(60)
class PeersTests {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private static final int MAX_QUEUED = 100;

	private final GuardedContext context = new GuardedContext("test", Duration.ofSeconds(10), Ticker.SYSTEM, null,
			() -> {
			});

	private final PeerConnections connections = new PeerConnections();

	private final ZMQ.Socket subscriber = this.context
		.socket(SocketType.SUB, SocketLimits.subscriber(1_024, 16), this.connections::changed)
		.socket();

	private final CountDownLatch resolving = new CountDownLatch(1);

	private final Addresses addresses = new Addresses(this::resolve);

	private final Peers peers = new Peers(this.subscriber, this.connections, this.addresses, 4 * SECOND, 1_000,
			MAX_QUEUED, null, 0);

	private long now;

	PeersTests() {
		this.subscriber.setReconnectIVL(10);
		this.subscriber.subscribe("M");
		// JeroMQ 0.6.0 sometimes misses a new connection until it makes another. Attempts
		// to connect to a closed port follow each other.
		this.subscriber.connect("tcp://127.0.0.1:1");
	}

	@AfterEach
	void close() {
		this.addresses.close();
		this.context.close();
	}

	@Test
	void reconnectsAfterProtocolErrorWhileMessagesArrive() throws IOException {
		try (ServerSocket node = listen()) {
			hear(node);
			int lost = violateProtocol(node);
			await("the end of the connection").until(() -> this.connections.losses(endpoint(node)) == lost);
			forget();
			this.now += 11 * SECOND;
			hear(node);
			this.peers.received(1, false);
			hear(node);
			accept(node).close();
		}
	}

	@Test
	void receivesMessagesOfRemovedPeerWhileOthersArrive() throws IOException {
		try (ServerSocket node = listen()) {
			hear(node);
			send(accept(node), 10);
			// JeroMQ does not reconnect.
			node.close();
			await("messages").until(() -> (this.subscriber.getEvents() & ZMQ.Poller.POLLIN) != 0 && !isConnected(node));
			assertThat(this.subscriber.recv(0)).containsExactly('M');
			forget();
			this.peers.received(2 * MAX_QUEUED, false);
			assertThat(this.subscriber.recv(ZMQ.DONTWAIT)).containsExactly('M');
			this.peers.received(1, false);
			assertThat(this.subscriber.recv(ZMQ.DONTWAIT)).isNull();
			assertThat(this.subscriber.disconnect(endpoint(node))).isFalse();
		}
	}

	@Test
	void keepsPeerThatReconnectsWhileMessagesArrive() throws IOException {
		try (ServerSocket node = listen()) {
			hear(node);
			send(accept(node), 2);
			node.close();
			await("messages").until(() -> (this.subscriber.getEvents() & ZMQ.Poller.POLLIN) != 0 && !isConnected(node));
			forget();
			try (ServerSocket restarted = listen(node.getLocalPort()); ZmtpClient again = accept(restarted)) {
				await("the connection").until(() -> isConnected(node));
				hear(node);
				assertThat(this.peers.size()).isOne();
				this.peers.received(10 * MAX_QUEUED, false);
				assertThat(this.subscriber.recv(ZMQ.DONTWAIT)).containsExactly('M');
				again.send(ZmtpClient.frame(0, new byte[] { 'M', '2' }));
				await("the message").until(() -> "M2".equals(this.subscriber.recvStr(ZMQ.DONTWAIT)));
			}
		}
	}

	@Test
	void disconnectsFromUnstablePeerWhileMessagesArrive() throws IOException {
		try (ServerSocket node = listen()) {
			hear(node);
			for (int i = 0; i < 12; i++) {
				accept(node).close();
			}
			await("the losses").until(() -> this.connections.losses(endpoint(node)) > 10);
			this.peers.expire(this.now);
			assertThat(this.peers.size()).isZero();
			this.peers.received(1, false);
			assertThat(this.subscriber.disconnect(endpoint(node))).isFalse();
		}
	}

	@Test
	void namedHostGetsItsShareOfSlots() {
		for (int port = 1; port <= 40; port++) {
			this.peers.heard(Bytes.of("node" + port), "tcp://node.invalid:" + port, this.now);
		}
		for (int i = 0; i < 3; i++) {
			this.now += SECOND;
			this.peers.connect(this.now);
		}
		this.resolving.countDown();
		await("the addresses").until(() -> {
			this.now += SECOND / 100;
			this.peers.connect(this.now);
			return !this.addresses.isBusy();
		});
		// Some of the ports may be open on this machine.
		assertThat(this.peers.size()).isBetween(16, 24);
	}

	private String resolve(String host) {
		try {
			this.resolving.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return "127.0.0.1";
	}

	private void hear(ServerSocket node) {
		this.now += SECOND;
		this.peers.heard(Bytes.of("node"), endpoint(node), this.now);
		this.peers.connect(this.now);
	}

	private void forget() {
		this.now += 11 * SECOND;
		this.peers.expire(this.now);
		assertThat(this.peers.size()).isZero();
	}

	private boolean isConnected(ServerSocket node) {
		return this.connections.contains(endpoint(node));
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

	/**
	 * Accepts a connection and sends a greeting with an unknown mechanism.
	 * @return number of connections that are lost
	 */
	static int violateProtocol(ServerSocket server) throws IOException {
		for (int connections = 1;; connections++) {
			try (ZmtpClient connection = ZmtpClient.accepted(server.accept())) {
				connection.send(ZmtpClient.greeting(3, 0, "UNKNOWN"));
				// JeroMQ 0.6.0 sometimes ignores a new connection and makes another.
				if (connection.awaitClosed(Duration.ofSeconds(1))) {
					return connections;
				}
			}
		}
	}

	/** Accepts a connection as a publisher. */
	static ZmtpClient accept(ServerSocket server) throws IOException {
		while (true) {
			Socket socket = server.accept();
			ZmtpClient connection = ZmtpClient.accepted(socket);
			connection.send(ZmtpClient.greeting(), ZmtpClient.ready("PUB"));
			try {
				// JeroMQ 0.6.0 sometimes ignores a new connection and makes another.
				socket.setSoTimeout(3_000);
				if (socket.getInputStream()
					.readNBytes(ZmtpClient.GREETING_LENGTH).length == ZmtpClient.GREETING_LENGTH) {
					connection.receiveFrame();
					return connection;
				}
			}
			catch (SocketException | SocketTimeoutException ex) {
				// The next connection follows.
			}
			connection.close();
		}
	}

}
