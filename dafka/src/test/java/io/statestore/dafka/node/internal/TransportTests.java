package io.statestore.dafka.node.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.netty.channel.embedded.EmbeddedChannel;
import io.statestore.dafka.Ticker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Failures on a node's thread, which end the node instead of going unnoticed. */
@Timeout(60)
class TransportTests {

	private final Transport transport = new Transport("node", Duration.ofSeconds(10), Ticker.SYSTEM, null);

	private final CountDownLatch ended = new CountDownLatch(1);

	@Test
	void errorInTurnFailsTransport() throws InterruptedException {
		OutOfMemoryError error = new OutOfMemoryError("for this test");
		this.transport.start(() -> {
			throw error;
		}, this.ended::countDown, Duration.ZERO);
		assertThat(this.ended.await(30, TimeUnit.SECONDS)).isTrue();
		assertThat(this.transport.failure()).isSameAs(error);
	}

	@Test
	void errorAtEndClosesTransport() throws InterruptedException {
		this.transport.start(() -> TimeUnit.MINUTES.toNanos(1), () -> {
			throw new AssertionError("for this test");
		}, Duration.ZERO);
		long start = System.nanoTime();
		this.transport.stop(Duration.ofSeconds(20));
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
	}

	@Test
	void readsNetworkBetweenTurns() {
		Subscriber subscriber = new Subscriber(this.transport, "SUB", SocketLimits.subscriber(1_024, 0),
				List.of(new byte[0]));
		int port = subscriber.bind("host", "127.0.0.1", "port", 0);
		AtomicInteger received = new AtomicInteger();
		AtomicInteger turns = new AtomicInteger();
		this.transport.start(() -> {
			turns.incrementAndGet();
			received.addAndGet((subscriber.receive() != null) ? 1 : 0);
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
			return 0;
		}, this.ended::countDown, Duration.ZERO);
		try (ZmtpClient client = ZmtpClient.handshake(port, "PUB")) {
			for (AtomicInteger i = new AtomicInteger(1); i.get() <= 10; i.incrementAndGet()) {
				client.send(ZmtpClient.frame(0, new byte[1]));
				await("message " + i).pollInterval(Duration.ofMillis(1)).until(() -> received.get() == i.get());
			}
			// Netty may run tasks for a second, or 500 turns, before it reads the
			// network.
			assertThat(turns).hasValueLessThan(1_500);
		}
		finally {
			this.transport.stop(Duration.ofSeconds(20));
		}
	}

	@Test
	void freesPortBeforeStopReturns() {
		int port = 0;
		for (int i = 0; i < 50; i++) {
			Transport next = new Transport("node", Duration.ofSeconds(10), Ticker.SYSTEM, null);
			port = new Publisher(next, SocketLimits.publisher(10, 0)).bind("host", "127.0.0.1", "port", port);
			next.start(() -> TimeUnit.MINUTES.toNanos(1), () -> {
			}, Duration.ZERO);
			next.stop(Duration.ofSeconds(20));
		}
	}

	@Test
	void connectionErrorFailsTransportAndClosesSockets() throws InterruptedException {
		OutOfMemoryError error = new OutOfMemoryError("for this test");
		Subscriber subscriber = new Subscriber(this.transport, "SUB", SocketLimits.subscriber(1_024, 0), List.of());
		int port = subscriber.bind("host", "127.0.0.1", "port", 0);
		this.transport.start(() -> TimeUnit.MINUTES.toNanos(1), this.ended::countDown, Duration.ZERO);
		try (ZmtpClient client = ZmtpClient.connect(port)) {
			client.send(ZmtpClient.greeting());
			client.receive(ZmtpClient.GREETING_LENGTH);
			EmbeddedChannel channel = new EmbeddedChannel();
			channel.pipeline().addLast(new Connection(subscriber, "", channel)).fireExceptionCaught(error);
			assertThat(this.ended.await(30, TimeUnit.SECONDS)).isTrue();
			assertThat(this.transport.failure()).isSameAs(error);
			assertThat(client.awaitClosed(Duration.ofSeconds(30))).isTrue();
		}
	}

}
