package io.statestore.dafka.node.internal;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.dafka.Ticker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** CURVE sockets at their limits. */
@Timeout(60)
class CurveConnectionTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	@TempDir
	@SuppressWarnings("NullAway.Init")
	Path directory;

	@Test
	void deliversCompleteMessagesInOrder() {
		TestKeys keys = new TestKeys(this.directory, "publisher", "subscriber");
		CurveSecurity own = Objects.requireNonNull(CurveSecurity.of(keys.options("subscriber"), 0));
		CurveSecurity other = Objects.requireNonNull(CurveSecurity.of(keys.options("publisher"), 0));
		try (Transport publishers = transport(other); Transport subscribers = transport(own)) {
			Publisher publisher = new Publisher(publishers, SocketLimits.publisher(10_000, 0));
			String endpoint = "tcp://127.0.0.1:" + publisher.bind("host", "127.0.0.1", "port", 0);
			own.add(endpoint, other.announcement("id"));
			Subscriber subscriber = new Subscriber(subscribers, "SUB", SocketLimits.subscriber(1_000, 0),
					List.of(new byte[0]));
			subscribers.loop.execute(() -> subscriber.connect(endpoint));
			await("subscription").until(() -> publishers.loop.submit(publisher::receive).get() != null);
			publishers.loop.execute(() -> {
				for (int i = 0; i < 5_000; i++) {
					publisher.send(("first" + i).getBytes(), ("second" + i).getBytes());
				}
			});
			for (AtomicInteger i = new AtomicInteger(); i.get() < 5_000; i.incrementAndGet()) {
				await("message " + i).pollInterval(Duration.ofMillis(1)).untilAsserted(() -> {
					byte[][] message = subscribers.loop.submit(subscriber::receive).get();
					assertThat(message)
						.isDeepEqualTo(new byte[][] { ("first" + i).getBytes(), ("second" + i).getBytes() });
				});
			}
		}
	}

	@Test
	void allocatesNoLargeFramesForStrangers() {
		CurveSecurity own = Objects
			.requireNonNull(CurveSecurity.of(new TestKeys(this.directory, "subscriber").options("subscriber"), 0));
		try (Transport transport = transport(own)) {
			Subscriber subscriber = new Subscriber(transport, "SUB", SocketLimits.subscriber(100 << 20, 0), List.of());
			int port = subscriber.bind("host", "127.0.0.1", "port", 0);
			try (ZmtpClient client = ZmtpClient.connect(port)) {
				client.send(ZmtpClient.greeting(3, 0, "CURVE"));
				client.receive(ZmtpClient.GREETING_LENGTH);
				// Only the beginning of a long frame arrives, never the rest.
				client.send(ZmtpClient.longFrame(0, 90 << 20, new byte[10]));
				await("refused before its end").until(() -> transport.refusals.total() == 1);
				assertThat(client.awaitClosed(Duration.ofSeconds(30))).isTrue();
			}
		}
	}

	private static Transport transport(CurveSecurity security) {
		return new Transport("node", TIMEOUT, Ticker.SYSTEM, security);
	}

}
