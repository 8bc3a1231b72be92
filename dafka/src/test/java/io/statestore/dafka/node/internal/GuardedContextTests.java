package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Ticker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.zeromq.SocketType;
import org.zeromq.ZEvent;
import org.zeromq.ZMonitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Failures of I/O threads, which end the node instead of going unnoticed. */
@Timeout(60)
class GuardedContextTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	@Test
	void errorInIoThreadIsFailure() throws InterruptedException {
		OutOfMemoryError error = new OutOfMemoryError("for this test");
		CountDownLatch failed = new CountDownLatch(1);
		try (GuardedContext context = new GuardedContext("node", TIMEOUT, Ticker.SYSTEM, null, failed::countDown)) {
			int port = bind(context, error);
			try (ZmtpClient client = ZmtpClient.connect(port)) {
				assertThat(failed.await(30, TimeUnit.SECONDS)).isTrue();
				assertThat(context.failure()).isSameAs(error);
			}
		}
	}

	@Test
	void contextClosesAfterErrorInIoThread() throws InterruptedException {
		CountDownLatch failed = new CountDownLatch(1);
		GuardedContext context = new GuardedContext("node", TIMEOUT, Ticker.SYSTEM, null, failed::countDown);
		int port = bind(context, new OutOfMemoryError("for this test"));
		try (ZmtpClient client = ZmtpClient.connect(port)) {
			assertThat(failed.await(30, TimeUnit.SECONDS)).isTrue();
			context.close();
			assertThat(client.awaitClosed(Duration.ofSeconds(30))).isTrue();
		}
	}

	@Test
	void exceptionInIoThreadIsNoFailure() {
		try (GuardedContext context = new GuardedContext("node", TIMEOUT, Ticker.SYSTEM, null, () -> {
		})) {
			int port = bind(context, new IllegalStateException("for this test"));
			for (int i = 0; i < 3; i++) {
				try (ZmtpClient client = ZmtpClient.handshake(port, "SUB")) {
					assertThat(client.send(ZmtpClient.subscription(new byte[] { 'M' }))).isTrue();
				}
			}
			assertThat(context.failure()).isNull();
		}
	}

	@Test
	void probeDetectsThreadThatNeverAnswers() throws IOException {
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
				IoThreadProbe probe = new IoThreadProbe("127.0.0.1", silent.getLocalPort(),
						new IoThreadProbe.Ports())) {
			await("the probe gives up").until(() -> !probe.check());
		}
	}

	@Test
	void probeAcceptsThreadThatAnswers() {
		try (GuardedContext context = new GuardedContext("node", TIMEOUT, Ticker.SYSTEM, null, () -> {
		})) {
			GuardedSocket socket = context.socket(SocketType.XPUB, SocketLimits.publisher(0));
			int port = socket.socket().bindToRandomPort("tcp://127.0.0.1");
			try (IoThreadProbe probe = new IoThreadProbe("127.0.0.1", port, 1, Integer.MAX_VALUE,
					new IoThreadProbe.Ports())) {
				await("three answers").until(() -> probe.check() && probe.answers() == 3);
			}
		}
	}

	@Test
	void probeOfClosedPortProvesNothing() throws IOException {
		int port;
		try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			port = socket.getLocalPort();
		}
		try (IoThreadProbe probe = new IoThreadProbe("127.0.0.1", port, new IoThreadProbe.Ports())) {
			for (int i = 0; i < 200; i++) {
				assertThat(probe.check()).isTrue();
			}
		}
	}

	private static int bind(GuardedContext context, Throwable failure) {
		GuardedSocket socket = context.socket(SocketType.XPUB, SocketLimits.publisher(0),
				(event) -> failWhenAccepted(event, failure));
		return socket.socket().bindToRandomPort("tcp://127.0.0.1");
	}

	private static void failWhenAccepted(ZEvent event, Throwable failure) {
		if (event.getEvent() == ZMonitor.Event.ACCEPTED) {
			if (failure instanceof Error error) {
				throw error;
			}
			throw (RuntimeException) failure;
		}
	}

}
