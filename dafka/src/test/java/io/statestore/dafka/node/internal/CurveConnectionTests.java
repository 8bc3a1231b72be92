package io.statestore.dafka.node.internal;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Sockets with CURVE at their limits. */
@Timeout(60)
class CurveConnectionTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	@TempDir
	@SuppressWarnings("NullAway.Init")
	Path directory;

	@Test
	void deliversCompleteMessagesWhenQueueWasFull() {
		TestKeys keys = new TestKeys(this.directory, "publisher", "subscriber");
		CurveSecurity own = Objects.requireNonNull(CurveSecurity.of(keys.options("subscriber"), 0));
		CurveSecurity other = Objects.requireNonNull(CurveSecurity.of(keys.options("publisher"), 0));
		try (GuardedContext publishers = context(other); GuardedContext subscribers = context(own)) {
			ZMQ.Socket publisher = publishers.socket(SocketType.XPUB, SocketLimits.publisher(0)).socket();
			publisher.setHWM(0);
			String endpoint = "tcp://127.0.0.1:" + publisher.bindToRandomPort("tcp://127.0.0.1");
			own.add(endpoint, other.announcement("id"));
			ZMQ.Socket subscriber = subscribers.socket(SocketType.SUB, SocketLimits.subscriber(1_000, 2)).socket();
			subscriber.setHWM(10);
			subscriber.subscribe(new byte[0]);
			subscriber.connect(endpoint);
			// After a reconnect, the subscriber resends its subscription only when it is
			// used, so a publisher that blocks this thread would wait forever.
			await("subscription").pollInSameThread()
				.until(() -> subscriber.getEvents() >= 0 && publisher.recv(ZMQ.DONTWAIT) != null);
			for (int i = 0; i < 5_000; i++) {
				publisher.sendMore("first" + i);
				publisher.send("second" + i);
			}
			for (int i = 0; i < 5_000; i++) {
				assertThat(subscriber.recvStr()).isEqualTo("first" + i);
				assertThat(subscriber.recvStr()).isEqualTo("second" + i);
			}
		}
	}

	@Test
	void allocatesNoLargeFramesForStrangers() {
		CurveSecurity own = Objects
			.requireNonNull(CurveSecurity.of(new TestKeys(this.directory, "subscriber").options("subscriber"), 0));
		try (GuardedContext context = context(own)) {
			ZMQ.Socket subscriber = context.socket(SocketType.SUB, SocketLimits.subscriber(100 << 20, 2)).socket();
			int port = subscriber.bindToRandomPort("tcp://127.0.0.1");
			try (ZmtpClient client = ZmtpClient.connect(port)) {
				client.send(ZmtpClient.greeting(3, 0, "CURVE"));
				client.receive(ZmtpClient.GREETING_LENGTH);
				// Only the beginning of a long frame: the rest never arrives.
				client.send(ZmtpClient.longFrame(0, 90 << 20, new byte[10]));
				await("refused before its end").until(() -> context.refusals() == 1);
				assertThat(client.awaitClosed(Duration.ofSeconds(30))).isTrue();
			}
		}
	}

	/** Returns a context in which no time passes, so that no handshake times out. */
	private static GuardedContext context(CurveSecurity security) {
		return new GuardedContext("node", TIMEOUT, () -> 0, security, () -> {
		});
	}

}
