package io.statestore.dafka.node.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.statestore.dafka.Ticker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.statestore.dafka.node.internal.ZmtpClient.command;
import static io.statestore.dafka.node.internal.ZmtpClient.frame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Connections of both versions of ZMTP, byte by byte. */
@Timeout(60)
class ConnectionTests {

	private static final byte[] PREFIX = { 'M' };

	private final Transport transport = new Transport("test", Duration.ofSeconds(10), Ticker.SYSTEM, null);

	private final Publisher publisher = new Publisher(this.transport, SocketLimits.publisher(10, 0));

	private final Subscriber subscriber = new Subscriber(this.transport, "SUB", SocketLimits.subscriber(1_000_000, 0),
			List.of(PREFIX));

	@AfterEach
	void close() {
		this.transport.close();
	}

	@Test
	void subscribesByMessageWithVersion30() {
		try (ZmtpClient peer = connect(this.subscriber, "PUB", 0)) {
			assertThat(peer.receiveFrame()).containsExactly(1, 'M');
		}
	}

	@Test
	void subscribesByCommandWithVersion31() {
		try (ZmtpClient peer = connect(this.subscriber, "PUB", 1)) {
			assertThat(peer.receive(2 + 11)).isEqualTo(command("SUBSCRIBE", PREFIX));
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1 })
	void acceptsSubscriptionsInBothForms(int minor) throws Exception {
		try (ZmtpClient peer = connect(this.publisher, "SUB", minor)) {
			peer.send(command("SUBSCRIBE", PREFIX), ZmtpClient.subscription(new byte[] { 'N' }),
					command("CANCEL", PREFIX), frame(0, new byte[] { 0, 'N' }));
			assertThat(receive(this.publisher)).isDeepEqualTo(new byte[][] { { 1, 'M' } });
			assertThat(receive(this.publisher)).isDeepEqualTo(new byte[][] { { 1, 'N' } });
			assertThat(receive(this.publisher)).isDeepEqualTo(new byte[][] { { 0, 'M' } });
			assertThat(receive(this.publisher)).isDeepEqualTo(new byte[][] { { 0, 'N' } });
		}
	}

	@Test
	void sendsEachMessageOnceToPeerWithSeveralMatchingSubscriptions() throws Exception {
		try (ZmtpClient peer = connect(this.publisher, "SUB", 1)) {
			for (String prefix : List.of("", "M", "Ma", "Mab", "Mb", "L", "N")) {
				peer.send(ZmtpClient.subscription(prefix.getBytes(StandardCharsets.US_ASCII)));
				receive(this.publisher);
			}
			for (String message : List.of("Mabc", "Ma", "Mac", "X", "M")) {
				this.transport.loop.execute(() -> this.publisher.send(message.getBytes(StandardCharsets.US_ASCII)));
				assertThat(peer.receiveFrame()).asString().isEqualTo(message);
			}
		}
	}

	@Test
	void sendsSimilarMessagesToCurrentSubscribersOnly() throws Exception {
		try (ZmtpClient peer = connect(this.publisher, "SUB", 1)) {
			peer.send(ZmtpClient.subscription("Mab".getBytes(StandardCharsets.US_ASCII)));
			receive(this.publisher);
			send("Mab1", "Mac1", "Mab2");
			assertThat(peer.receiveFrame()).asString().isEqualTo("Mab1");
			assertThat(peer.receiveFrame()).asString().isEqualTo("Mab2");
			peer.send(frame(0, "\0Mab".getBytes(StandardCharsets.US_ASCII)));
			receive(this.publisher);
			send("Mab3");
			peer.send(ZmtpClient.subscription("Ma".getBytes(StandardCharsets.US_ASCII)));
			receive(this.publisher);
			send("Mab4");
			assertThat(peer.receiveFrame()).asString().isEqualTo("Mab4");
		}
	}

	private void send(String... messages) {
		this.transport.loop.execute(() -> {
			for (String message : messages) {
				this.publisher.send(message.getBytes(StandardCharsets.US_ASCII));
			}
		});
	}

	@Test
	void refusesMessageWhenFullUnlessDropping() throws Exception {
		try (ZmtpClient peer = connect(this.publisher, "SUB", 1)) {
			peer.send(ZmtpClient.subscription(PREFIX));
			receive(this.publisher);
			// Nothing is transmitted until the task ends.
			this.transport.loop.submit(() -> {
				this.publisher.dropping = false;
				for (int i = 0; i < 10; i++) {
					assertThat(this.publisher.send(PREFIX)).isTrue();
				}
				assertThat(this.publisher.send(PREFIX)).isFalse();
				assertThat(this.publisher.send(new byte[] { 'X' })).isTrue();
				this.publisher.dropping = true;
				assertThat(this.publisher.send(PREFIX)).isTrue();
			}).get();
			assertThat(peer.receive(10 * 3)).hasSize(30);
		}
	}

	@Test
	void answersHeartbeatWithItsContext() throws Exception {
		try (ZmtpClient peer = connect(this.subscriber, "PUB", 0)) {
			peer.receiveFrame();
			peer.send(command("PING"), command("PING", new byte[2], "context".getBytes(StandardCharsets.US_ASCII)),
					frame(0, PREFIX));
			receive(this.subscriber);
			assertThat(peer.receiveFrame()).asString().isEqualTo("\4PONGcontext");
		}
	}

	@Test
	void receivesMessageInPieces() throws Exception {
		byte[] content = new byte[300_000];
		content[299_999] = 1;
		byte[] bytes = ZmtpClient.message(List.of(PREFIX, content));
		try (ZmtpClient peer = connect(this.subscriber, "PUB", 0)) {
			for (int i = 0; i < bytes.length; i += 50_000) {
				peer.send(Arrays.copyOfRange(bytes, i, Math.min(bytes.length, i + 50_000)));
			}
			assertThat(receive(this.subscriber)).isDeepEqualTo(new byte[][] { PREFIX, content });
		}
	}

	@Test
	void countsFramesBeforeCommand() throws Exception {
		Subscriber socket = new Subscriber(this.transport, "SUB", new SocketLimits(200_000, 16, 10, 0, 250_000, 1, 0),
				List.of(PREFIX));
		int port = socket.bind("host", "127.0.0.1", "port", 0);
		try (ZmtpClient first = ZmtpClient.handshake(port, "PUB");
				ZmtpClient second = ZmtpClient.handshake(port, "PUB")) {
			first.receiveFrame();
			first.send(frame(ZmtpClient.MORE, new byte[200_000]), command("PING", new byte[2]));
			CompletableFuture<byte[]> answer = CompletableFuture.supplyAsync(first::receiveFrame);
			await("an answer").until(() -> {
				this.transport.loop.submit(socket::receive).get();
				return answer.isDone();
			});
			second.send(frame(0, new byte[200_000]));
			await("refusal").until(() -> {
				this.transport.loop.submit(socket::receive).get();
				return this.transport.refusals.total() == 1;
			});
		}
	}

	@Test
	void sendsHeartbeatsWhileReceiving() {
		try (Transport receiver = new Transport("receiver", Duration.ofMillis(800), Ticker.SYSTEM, null)) {
			Subscriber to = new Subscriber(receiver, "SUB", SocketLimits.subscriber(1_000, 0), List.of(PREFIX));
			try (ZmtpClient peer = connect(to, "PUB", 0)) {
				peer.receiveFrame();
				CompletableFuture<byte[]> heartbeat = CompletableFuture.supplyAsync(peer::receiveFrame);
				await("a heartbeat").atMost(Duration.ofSeconds(10)).pollInterval(Duration.ofMillis(50)).until(() -> {
					peer.send(frame(0, PREFIX));
					receiver.loop.submit(to::receive).get();
					return heartbeat.isDone();
				});
				assertThat(heartbeat.join()).startsWith("\4PING".getBytes(StandardCharsets.US_ASCII));
			}
		}
	}

	@Test
	void keepsConnectionToPeerThatDoesNotReceive() throws Exception {
		try (Transport sender = new Transport("sender", Duration.ofMillis(800), Ticker.SYSTEM, null);
				Transport receiver = new Transport("receiver", Duration.ofMillis(800), Ticker.SYSTEM, null)) {
			Publisher from = new Publisher(sender, SocketLimits.publisher(10, 0));
			Subscriber to = new Subscriber(receiver, "SUB", SocketLimits.subscriber(1_000, 0), List.of(PREFIX));
			String endpoint = "tcp://127.0.0.1:" + from.bind("host", "127.0.0.1", "port", 0);
			receiver.loop.execute(() -> to.connect(endpoint));
			await("subscription").until(() -> sender.loop.submit(from::receive).get() != null);
			sender.loop.execute(() -> from.send(PREFIX));
			// If the connection ended, the subscription would end, too.
			await().during(Duration.ofSeconds(4))
				.atMost(Duration.ofSeconds(10))
				.until(() -> sender.loop.submit(from::receive).get() == null);
			assertThat(receiver.loop.submit(to::receive).get()).isDeepEqualTo(new byte[][] { PREFIX });
		}
	}

	private static ZmtpClient connect(ZmtpSocket socket, String type, int minor) {
		ZmtpClient peer = ZmtpClient.connect(socket.bind("host", "127.0.0.1", "port", 0));
		peer.send(ZmtpClient.greeting(3, minor, "NULL"), ZmtpClient.ready(type));
		peer.skipHandshake();
		return peer;
	}

	private byte[][] receive(ZmtpSocket socket) {
		byte[][][] message = new byte[1][][];
		await("a message").until(() -> {
			message[0] = this.transport.loop.submit(socket::receive).get();
			return message[0] != null;
		});
		return Objects.requireNonNull(message[0]);
	}

}
