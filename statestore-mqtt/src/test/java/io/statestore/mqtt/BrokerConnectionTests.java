package io.statestore.mqtt;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.util.concurrent.DefaultThreadFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(30)
class BrokerConnectionTests {

	private static final byte[] CONNACK = { 0x20, 3, 0, 0, 0 };

	private static final byte[] PINGRESP = { (byte) 0xD0, 0 };

	private final EventLoop loop = new SingleThreadIoEventLoop(null, new DefaultThreadFactory("test", true),
			NioIoHandler.newFactory());

	private final CompletableFuture<Void> accepted = new CompletableFuture<>();

	private final CompletableFuture<Throwable> ended = new CompletableFuture<>();

	@AfterEach
	void close() {
		this.loop.shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
	}

	// Otherwise, the failure would go unnoticed: the message is never acknowledged, and
	// later messages would follow a partial message.
	@ParameterizedTest
	@ValueSource(ints = { 10, 100_000 })
	void endsWhenMessageExceedsMemory(int size) throws Exception {
		OutOfMemoryError failure = new OutOfMemoryError("on purpose");
		try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			BrokerConnection connection = BrokerConnection.open(this.loop, new ConnectionSettings("127.0.0.1",
					server.getLocalPort(), null, Duration.ofSeconds(10), 1_000, 1_000, (bytes) -> {
					}), ClientPackets.connect("test", true, 0, null, null, MqttProperties.NO_PROPERTIES).build(),
					new Recorder());
			try (Socket socket = server.accept()) {
				socket.getOutputStream().write(CONNACK);
				this.accepted.get(10, TimeUnit.SECONDS);
				this.loop.execute(() -> connection.publish(new Failing(size, failure), 1, false));
				assertThat(this.ended.get(10, TimeUnit.SECONDS)).isSameAs(failure);
			}
		}
	}

	// Checks that were due during the pause must leave time for the response to a
	// PINGREQ.
	@Test
	void survivesPauseOfProcess() throws Exception {
		try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			BrokerConnection.open(this.loop, new ConnectionSettings("127.0.0.1", server.getLocalPort(), null,
					Duration.ofSeconds(10), 1_000, 1_000, (bytes) -> {
					}), ClientPackets.connect("test", true, 2, null, null, MqttProperties.NO_PROPERTIES).build(),
					new Recorder());
			try (Socket socket = server.accept()) {
				socket.setSoTimeout(20_000);
				socket.getOutputStream().write(CONNACK);
				this.accepted.get(10, TimeUnit.SECONDS);
				this.loop.execute(() -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2_200)));
				for (int pings = 0; pings < 2; pings++) {
					awaitPing(socket.getInputStream());
					socket.getOutputStream().write(PINGRESP);
				}
				assertThat(this.ended).isNotDone();
			}
		}
	}

	private static void awaitPing(InputStream in) throws IOException {
		int previous = -1;
		for (int next = in.read(); previous != 0xC0 || next != 0; next = in.read()) {
			assertThat(next).as("end of the connection").isNotNegative();
			previous = next;
		}
	}

	/** A message for which there is not enough memory. */
	private static final class Failing extends OutgoingPublish {

		private final OutOfMemoryError failure;

		Failing(int length, OutOfMemoryError failure) {
			super("t", 1, false, new byte[length], 0);
			this.failure = failure;
		}

		@Override
		protected void writeProperties(ByteBuf out) {
			throw this.failure;
		}

	}

	private final class Recorder implements BrokerConnection.Events {

		@Override
		public void accepted(Accepted accepted) {
			BrokerConnectionTests.this.accepted.complete(null);
		}

		@Override
		public void subscribed(int packetId, List<Integer> reasonCodes) {
		}

		@Override
		public void published(Publish publish) {
		}

		@Override
		public void acknowledged(int packetId, int reasonCode) {
		}

		@Override
		public void ended(Throwable cause, boolean accepted) {
			BrokerConnectionTests.this.ended.complete(cause);
		}

	}

}
