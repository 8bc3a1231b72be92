package io.statestore.client.mqtt.internal;

import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ProtocolException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

import com.sun.management.UnixOperatingSystemMXBean;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.UserProperty;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.mqtt.Publish;
import io.statestore.protocol.Topics;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.statestore.protocol.UserProperties.LEADER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@Timeout(30)
class LinkTests {

	private final FakeBroker broker = new FakeBroker();

	@AfterEach
	void close() {
		this.broker.close();
	}

	private static Link open(ConnectionOptions.Builder options) {
		return new Link(Attempts.of(options.build()), (publish) -> true);
	}

	// A late CONNECT could arrive after that of the next link, and end that link.
	@Test
	void closesAtOnceWhileConnecting() throws Exception {
		try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			Link link = open(this.broker.options().port(silent.getLocalPort()).connectTimeout(Duration.ofSeconds(90)));
			try (Socket socket = silent.accept()) {
				InputStream connect = socket.getInputStream();
				assertThat(connect.read()).isEqualTo(0x10);
				link.close();
				socket.setSoTimeout(30_000);
				assertThat(connect.readAllBytes()).isNotEmpty();
			}
		}
	}

	@Test
	void acceptsNoMessageAfterLoss() throws Exception {
		Link link = open(this.broker.options());
		link.accepted().get(10, TimeUnit.SECONDS);
		this.broker.drop();
		link.lost().get(10, TimeUnit.SECONDS);
		assertThat(link.publish(new LinkMessage(Topics.REQUEST, new byte[0]), (code) -> {
		})).isEqualTo(Link.Submission.NOT_CONNECTED);
		link.close();
	}

	// Otherwise, their senders would wait for answers that cannot arrive.
	@Test
	void disconnectEndsPacketsInFlight() throws Exception {
		this.broker.onSubscribe = (filter) -> -1;
		Link link = open(this.broker.options());
		link.accepted().get(10, TimeUnit.SECONDS);
		CompletableFuture<int[]> subscription = link.inFlight().subscribe("a");
		link.disconnect(Duration.ofSeconds(10), false);
		assertThat(subscription).isCompletedExceptionally();
	}

	// Otherwise, it would answer pings but never send another message.
	@Test
	void errorWhileSendingEndsConnection() throws Exception {
		Link link = open(this.broker.options());
		link.accepted().get(10, TimeUnit.SECONDS);
		link.publish(new LinkMessage("a", new byte[1], 0, false, false, null, null, null, null, List.of()), (code) -> {
			throw new OutOfMemoryError("simulated");
		});
		assertThat(link.lost().get(10, TimeUnit.SECONDS)).hasMessageContaining("a packet could not be sent");
		link.close();
	}

	@Test
	void returnsLeaderOfConnAck() throws Exception {
		for (UserProperty property : List.of(new UserProperty("other", "x"), new UserProperty(LEADER, "a.local:1883"),
				new UserProperty(LEADER, "b.local:1883"))) {
			this.broker.connAckProperties.add(property);
		}
		Link link = open(this.broker.options());
		link.accepted().get(10, TimeUnit.SECONDS);
		assertThat(link.leader()).isEqualTo("a.local:1883");
		assertThat(link.serverReference()).isNull();
		link.close();
	}

	@Test
	void hasNoLeaderByDefault() throws Exception {
		this.broker.connAckProperties.add(new UserProperty("other", "x"));
		Link link = open(this.broker.options());
		link.accepted().get(10, TimeUnit.SECONDS);
		assertThat(link.leader()).isNull();
		link.close();
	}

	// PINGREQ waits behind the message for longer than the keep-alive interval.
	@Test
	void keepsConnectionWhileLargeMessageMoves() throws Exception {
		int step = 1024 * 1024;
		this.broker.onRequest = (broker, request) -> request.ack(0);
		this.broker.read(step);
		Link link = open(this.broker.options().keepAlive(Duration.ofSeconds(2)));
		link.accepted().get(10, TimeUnit.SECONDS);
		CompletableFuture<Integer> acknowledged = new CompletableFuture<>();
		link.publish(new LinkMessage("large", new byte[24 * step]), (codes) -> acknowledged.complete(codes[0]));
		for (int i = 0; i < 16; i++) {
			await("a part of it").until(() -> this.broker.bytesToRead.get() <= 0 || link.lost().isDone());
			assertThat(link.lost()).isNotDone();
			TimeUnit.MILLISECONDS.sleep(200);
			this.broker.read(step);
		}
		this.broker.read(Long.MAX_VALUE);
		CompletableFuture.anyOf(acknowledged, link.lost()).get(20, TimeUnit.SECONDS);
		assertThat(link.lost()).isNotDone();
		assertThat(acknowledged).isCompletedWithValue(0);
		link.close();
	}

	// A full buffer that the network takes at once must not let a later message overtake.
	@Test
	void keepsOrderOfMessagesThatFillTheBuffer() throws Exception {
		this.broker.onRequest = (broker, request) -> request.ack(0);
		Link link = open(this.broker.options());
		link.accepted().get(10, TimeUnit.SECONDS);
		int count = 2_000;
		CountDownLatch acknowledged = new CountDownLatch(count);
		for (int i = 0; i < count; i++) {
			byte[] payload = new byte[(i % 100 == 0) ? 600_000 : 1_000];
			ByteBuffer.wrap(payload).putInt(i);
			link.publish(new LinkMessage("burst", payload), (code) -> acknowledged.countDown());
		}
		assertThat(acknowledged.await(20, TimeUnit.SECONDS)).isTrue();
		assertThat(this.broker.requests).map((request) -> ByteBuffer.wrap(request.payload()).getInt())
			.isSorted()
			.hasSize(count);
		link.close();
	}

	@Test
	void endsConnectionWhenLargeMessageStops() throws Exception {
		Link link = open(this.broker.options().keepAlive(Duration.ofSeconds(1)));
		link.accepted().get(10, TimeUnit.SECONDS);
		this.broker.read(1);
		link.publish(new LinkMessage("large", new byte[40 * 1024 * 1024]), (code) -> {
		});
		assertThat(link.lost().get(10, TimeUnit.SECONDS)).isNotNull();
		link.close();
	}

	// Netty reports the end of a group on a thread that keeps the JVM alive.
	@Test
	void closesWithoutThreadThatIsNoDaemon() throws Exception {
		Queue<Thread> threads = new ConcurrentLinkedQueue<>();
		ThreadFactory factory = (task) -> {
			Thread thread = new Thread(task);
			thread.setDaemon(true);
			threads.add(thread);
			return thread;
		};
		await("the end of those of other tests").until(() -> Thread.getAllStackTraces()
			.keySet()
			.stream()
			.noneMatch((thread) -> thread.getName().startsWith("globalEventExecutor")));
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		Link link = new Link(Attempts.of(this.broker.options().build(), factory), (publish) -> true);
		link.accepted().get(10, TimeUnit.SECONDS);
		link.close();
		for (Thread thread : threads) {
			thread.join();
		}
		assertThat(Thread.getAllStackTraces().keySet()).filteredOn((thread) -> !before.contains(thread))
			.filteredOn(Thread::isAlive)
			.allMatch(Thread::isDaemon);
	}

	@Test
	void closesFilesWithoutThread() {
		UnixOperatingSystemMXBean system = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
		ThreadFactory noThreads = (task) -> {
			throw new OutOfMemoryError("expected by this test");
		};
		long before = system.getOpenFileDescriptorCount();
		for (int i = 0; i < 100; i++) {
			assertThatExceptionOfType(OutOfMemoryError.class)
				.isThrownBy(() -> new Link(Attempts.of(this.broker.options().build(), noThreads), (publish) -> true));
		}
		assertThat(system.getOpenFileDescriptorCount()).isLessThan(before + 100);
	}

	// No message could ever be published (MQTT 5 section 3.2.2.3.3).
	@Test
	void refusesReceiveMaximumOfZero() {
		this.broker.connAck(MqttProperties.RECEIVE_MAXIMUM, 0);
		Link link = open(this.broker.options());
		assertThat(link.accepted()).failsWithin(30, TimeUnit.SECONDS)
			.withThrowableThat()
			.withCauseInstanceOf(ProtocolException.class);
		link.close();
	}

	@Test
	void reportsLossEvenIfReceiverFails() throws Exception {
		byte[] connAck = { 0x20, 3, 0, 0, 0 };
		byte[] publishAndDisconnect = { 0x30, 5, 0, 1, 't', 0, 1, (byte) 0xE0, 1, (byte) 0x8B };
		Link.Session receiver = new Link.Session() {

			private boolean published;

			@Override
			public boolean published(Publish publish) {
				this.published = true;
				return true;
			}

			@Override
			public void readCompleted() {
				if (this.published) {
					throw new OutOfMemoryError("expected by this test");
				}
			}

		};
		try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			Link link = new Link(Attempts.of(this.broker.options().port(server.getLocalPort()).build()), receiver);
			try (Socket socket = server.accept()) {
				socket.getOutputStream().write(connAck);
				link.accepted().get(10, TimeUnit.SECONDS);
				socket.getOutputStream().write(publishAndDisconnect);
				assertThat(link.lost().get(10, TimeUnit.SECONDS)).isInstanceOf(BrokerException.class);
			}
			link.close();
		}
	}

	// Unread acknowledgments would fill the memory.
	@Test
	void endsConnectionOfBrokerThatExceedsReceiveMaximum() throws Exception {
		byte[] publish = { 0x32, 6, 0, 1, 't', 1, 1, 0 };
		try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			Link link = open(this.broker.options().port(server.getLocalPort()));
			try (Socket socket = server.accept()) {
				socket.getOutputStream().write(new byte[] { 0x20, 3, 0, 0, 0 });
				byte[] burst = new byte[publish.length * 5_000];
				for (int i = 0; i < burst.length; i++) {
					burst[i] = publish[i % publish.length];
				}
				for (int i = 0; i < 2_000 && !link.lost().isDone(); i++) {
					socket.getOutputStream().write(burst);
				}
			}
			catch (SocketException ex) {
				// The link has closed the connection.
			}
			assertThat(link.lost().get(10, TimeUnit.SECONDS)).hasMessageContaining("exceeds the Receive Maximum");
			link.close();
		}
	}

}
