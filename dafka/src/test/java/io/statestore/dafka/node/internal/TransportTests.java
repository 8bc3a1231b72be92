package io.statestore.dafka.node.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.netty.channel.embedded.EmbeddedChannel;
import io.statestore.dafka.Ticker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Failures of the thread of a node, which end the node instead of going unnoticed. */
@Timeout(60)
class TransportTests {

	private final Transport transport = new Transport("node", Duration.ofSeconds(10), Ticker.SYSTEM, null);

	private final CountDownLatch ended = new CountDownLatch(1);

	@Test
	void errorInTurnIsFailure() throws InterruptedException {
		OutOfMemoryError error = new OutOfMemoryError("for this test");
		this.transport.start(() -> {
			throw error;
		}, this.ended::countDown, Duration.ZERO);
		assertThat(this.ended.await(30, TimeUnit.SECONDS)).isTrue();
		assertThat(this.transport.failure()).isSameAs(error);
	}

	@Test
	void errorInConnectionIsFailureAndClosesSockets() throws InterruptedException {
		OutOfMemoryError error = new OutOfMemoryError("for this test");
		Subscriber subscriber = new Subscriber(this.transport, "SUB", SocketLimits.subscriber(1_024, 0), List.of());
		int port = subscriber.bind("host", "127.0.0.1", "port", 0);
		this.transport.start(() -> TimeUnit.MINUTES.toNanos(1), this.ended::countDown, Duration.ZERO);
		try (ZmtpClient client = ZmtpClient.connect(port)) {
			client.send(ZmtpClient.greeting());
			client.receive(ZmtpClient.GREETING_LENGTH);
			new EmbeddedChannel(new Connection(subscriber, "")).pipeline().fireExceptionCaught(error);
			assertThat(this.ended.await(30, TimeUnit.SECONDS)).isTrue();
			assertThat(this.transport.failure()).isSameAs(error);
			assertThat(client.awaitClosed(Duration.ofSeconds(30))).isTrue();
		}
	}

}
