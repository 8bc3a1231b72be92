package io.statestore.cluster.transport;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

import com.alipay.sofa.jraft.util.Endpoint;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.statestore.broker.certificates.CertificateAuthority;
import io.statestore.broker.certificates.CertificateRequest;
import io.statestore.broker.certificates.IssuedCertificate;
import io.statestore.broker.cluster.StreamTarget;
import io.statestore.broker.log.SpareSpace;
import io.statestore.broker.security.PemFiles;
import io.statestore.test.FreePorts;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Tests clients that one node forwards to another node, the leader. */
class StreamTests {

	private static final String GROUP = "test";

	private static final int TIMEOUT_MILLIS = 30_000;

	private static final Endpoint FOLLOWER = new Endpoint("127.0.0.1", 1);

	@TempDir
	private static Path directory;

	private static final CertificateAuthority authority = CertificateAuthority.create("cluster", Duration.ofDays(1));

	/** TLS context of all nodes on this machine. */
	private static SSLContext node;

	private final List<AutoCloseable> resources = new CopyOnWriteArrayList<>();

	private final EventLoopGroup eventLoops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());

	/** Sockets for clients that the leader's broker has accepted. */
	private final BlockingQueue<Socket> accepted = new LinkedBlockingQueue<>();

	private final AtomicInteger established = new AtomicInteger();

	/** Open client connections to the follower. */
	private final ChannelGroup clients = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

	/** Open connections that the leader's broker has accepted. */
	private final ChannelGroup streams = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

	private volatile @Nullable StreamTarget target;

	private Endpoint leader;

	private PeerTransport server;

	private StreamForwarder forwarder;

	private int port;

	@BeforeAll
	static void issueCertificate() throws IOException {
		node = certificate("127.0.0.1");
	}

	@BeforeEach
	void start() throws Exception {
		this.leader = new Endpoint("127.0.0.1", FreePorts.next());
		this.server = transport(this.leader, node);
		this.server.acceptStreams(() -> this.target);
		this.server.start();
		this.target = broker();
		this.forwarder = transport(FOLLOWER, node).forwarder();
		follow(this.forwarder);
	}

	@AfterEach
	void stop() throws Exception {
		for (AutoCloseable resource : this.resources) {
			resource.close();
		}
		this.eventLoops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
	}

	private <T extends AutoCloseable> T closing(T resource) {
		this.resources.add(resource);
		return resource;
	}

	private static SSLContext certificate(String host) throws IOException {
		IssuedCertificate issued = authority.issue(CertificateRequest.node(List.of(host), Duration.ofDays(1)));
		Path base = Files.createDirectory(directory.resolve(host));
		return PemFiles
			.of(Files.writeString(base.resolve("crt"), issued.certificatePem()),
					Files.writeString(base.resolve("key"), issued.keyPem()))
			.withAuthorities(Files.writeString(base.resolve("ca"), authority.certificate().certificatePem()))
			.newContext();
	}

	private PeerTransport transport(Endpoint self, SSLContext tls) {
		return transport(self, () -> tls, Duration.ofMinutes(1));
	}

	private PeerTransport transport(Endpoint self, Supplier<SSLContext> tls, Duration handshakeTimeout) {
		return closing(new PeerTransport(
				new TransportOptions(GROUP, self, new InetSocketAddress("127.0.0.1", self.getPort()), tls, 65_536,
						handshakeTimeout, new KnownDirectories("", "")),
				new DiskAdmission(new SpareSpace(0)), Reachability.ALL));
	}

	/**
	 * Starts to accept the leader's clients. Passes on each client's address as a line,
	 * followed by the client's bytes.
	 */
	private StreamTarget broker() throws IOException {
		ServerSocket socket = closing(new ServerSocket(0, 100, InetAddress.getLoopbackAddress()));
		Thread thread = new Thread(() -> {
			try {
				while (true) {
					Socket connection = closing(socket.accept());
					connection.setSoTimeout(TIMEOUT_MILLIS);
					this.accepted.add(connection);
				}
			}
			catch (IOException ex) {
				// The test has ended.
			}
		});
		thread.setDaemon(true);
		thread.start();
		return new Broker((InetSocketAddress) socket.getLocalSocketAddress());
	}

	/** Forwards later clients to the leader. */
	private void follow(StreamForwarder forwarder) {
		forwarder.setLeader(this.leader);
		await().until(forwarder::isReady);
		this.port = follower(forwarder);
	}

	/** Listens for clients as a follower does. */
	private int follower(StreamForwarder forwarder) {
		Channel socket = new ServerBootstrap().group(this.eventLoops)
			.channel(NioServerSocketChannel.class)
			// Small buffers fill sooner.
			.childOption(ChannelOption.SO_SNDBUF, 64 << 10)
			.childHandler(new ChannelInitializer<>() {
				@Override
				protected void initChannel(Channel channel) {
					channel.config().setAutoRead(false);
					StreamTests.this.clients.add(channel);
					forwarder.forward(channel, (InetSocketAddress) channel.remoteAddress(),
							StreamTests.this.established::incrementAndGet);
				}
			})
			.bind("127.0.0.1", 0)
			.syncUninterruptibly()
			.channel();
		return ((InetSocketAddress) socket.localAddress()).getPort();
	}

	private Socket client() throws IOException {
		Socket client = closing(new Socket("127.0.0.1", this.port));
		client.setSoTimeout(TIMEOUT_MILLIS);
		return client;
	}

	/** Connects a client with small buffers, which fill sooner. */
	private Socket smallClient() throws Exception {
		Socket client = closing(new Socket());
		client.setReceiveBufferSize(64 << 10);
		client.connect(new InetSocketAddress("127.0.0.1", this.port));
		client.setSoTimeout(TIMEOUT_MILLIS);
		return client;
	}

	private Socket acceptedSocket() throws Exception {
		Socket broker = this.accepted.poll(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
		assertThat(broker).as("a connection to the broker of the leader").isNotNull();
		assertThat(line(broker.getInputStream())).isEqualTo("127.0.0.1");
		return broker;
	}

	private static String line(InputStream input) throws IOException {
		StringBuilder line = new StringBuilder();
		for (int next = input.read(); next != '\n'; next = input.read()) {
			assertThat(next).isNotNegative();
			line.append((char) next);
		}
		return line.toString();
	}

	private static void send(Socket socket, String line) throws IOException {
		socket.getOutputStream().write((line + '\n').getBytes(StandardCharsets.UTF_8));
	}

	@Test
	void passesBytesInBothDirections() throws Exception {
		Socket client = client();
		send(client, "early");
		Socket broker = acceptedSocket();
		assertThat(line(broker.getInputStream())).isEqualTo("early");
		send(broker, "hello");
		assertThat(line(client.getInputStream())).isEqualTo("hello");
		assertThat(this.established).hasValue(1);
	}

	@Test
	void deliversEverythingBeforeEnd() throws Exception {
		byte[] content = new byte[1_000_000];
		for (int i = 0; i < content.length; i++) {
			content[i] = (byte) (i * 31 >> 3);
		}
		Socket client = client();
		Thread sender = new Thread(() -> {
			try {
				client.getOutputStream().write(content);
				client.close();
			}
			catch (IOException ex) {
				throw new AssertionError(ex);
			}
		});
		sender.start();
		assertThat(acceptedSocket().getInputStream().readAllBytes()).isEqualTo(content);
		sender.join();

		Socket reader = client();
		Socket broker = acceptedSocket();
		broker.getOutputStream().write(content);
		broker.close();
		assertThat(reader.getInputStream().readAllBytes()).isEqualTo(content);
	}

	@Test
	void slowReaderStopsSender() throws Exception {
		Socket client = smallClient();
		Socket broker = acceptedSocket();
		broker.setSendBufferSize(64 << 10);
		AtomicLong sent = new AtomicLong();
		CountDownLatch done = new CountDownLatch(1);
		int total = 12 << 20;
		Thread sender = new Thread(() -> {
			byte[] part = new byte[64 << 10];
			try {
				while (sent.get() < total) {
					broker.getOutputStream().write(part);
					sent.addAndGet(part.length);
				}
				broker.close();
			}
			catch (IOException ex) {
				// The number of received bytes shows this.
			}
			done.countDown();
		});
		sender.start();
		AtomicLong before = new AtomicLong(-1);
		await("the sender to wait").pollInterval(Duration.ofMillis(300))
			.until(() -> before.getAndSet(sent.get()) == sent.get());
		// Not much more was sent than fits in the operating system's buffers.
		assertThat(sent).hasValueLessThan(total);
		long received = 0;
		byte[] buffer = new byte[1 << 16];
		for (int read = client.getInputStream().read(buffer); read >= 0; read = client.getInputStream().read(buffer)) {
			received += read;
		}
		assertThat(received).isEqualTo(total);
		assertThat(done.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
	}

	@Test
	void clientResetEndsBrokerConnection() throws Exception {
		Socket client = client();
		Socket broker = acceptedSocket();
		client.setSoLinger(true, 0);
		client.close();
		assertThat(broker.getInputStream().read()).isEqualTo(-1);
	}

	@Test
	void endsConnectionsWhenClientNeverReads() throws Exception {
		follow(transport(FOLLOWER, node).forwarder(Duration.ofMillis(300)));
		Socket client = client();
		Socket broker = acceptedSocket();
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> {
			byte[] part = new byte[64 << 10];
			for (int i = 0; i < 10_000; i++) {
				broker.getOutputStream().write(part);
			}
		});
		// The client receives the bytes sent before, and then the end.
		assertThat(drain(client)).isPositive();
	}

	private static long drain(Socket client) {
		long received = 0;
		try {
			byte[] buffer = new byte[1 << 16];
			for (int read = client.getInputStream().read(buffer); read >= 0; read = client.getInputStream()
				.read(buffer)) {
				received += read;
			}
		}
		catch (SocketTimeoutException ex) {
			throw new AssertionError("The connection does not end", ex);
		}
		catch (IOException ex) {
			// A reset also counts as the end.
		}
		return received;
	}

	@Test
	void brokerEndingMidPacketEndsClient() throws Exception {
		Socket client = client();
		client.getOutputStream().write(new byte[] { 0x10, 0x20, 0 });
		Socket broker = acceptedSocket();
		assertThat(broker.getInputStream().readNBytes(3)).hasSize(3);
		broker.setSoLinger(true, 0);
		broker.close();
		assertThat(client.getInputStream().read()).isEqualTo(-1);
	}

	@Test
	void leaderEndingMidPacketEndsClient() throws Exception {
		Socket client = client();
		client.getOutputStream().write(new byte[] { 0x10, 0x20, 0 });
		assertThat(acceptedSocket().getInputStream().readNBytes(3)).hasSize(3);
		this.server.close();
		// The broker may still send a DISCONNECT.
		assertThat(this.streams.size()).isOne();
		this.streams.close();
		assertThat(client.getInputStream().read()).isEqualTo(-1);
	}

	@Test
	void closesClientsOfFormerLeader() throws Exception {
		Socket client = client();
		Socket broker = acceptedSocket();
		this.forwarder.setLeader(new Endpoint("127.0.0.1", FreePorts.next()));
		assertThat(client.getInputStream().read()).isEqualTo(-1);
		assertThat(broker.getInputStream().read()).isEqualTo(-1);
		this.forwarder.setLeader(null);
		assertThat(this.forwarder.isReady()).isFalse();
		assertThat(client().getInputStream().read()).isEqualTo(-1);
	}

	@Test
	void closesClientWhenNodeDoesNotServe() throws Exception {
		this.target = null;
		assertThat(client().getInputStream().read()).isEqualTo(-1);
		assertThat(this.established).hasValue(0);
	}

	@Test
	void closesClientWhenNodeIsGone() throws Exception {
		this.forwarder.setLeader(new Endpoint("127.0.0.1", FreePorts.next()));
		await().until(this.forwarder::isReady);
		assertThat(client().getInputStream().read()).isEqualTo(-1);
	}

	@Test
	void closesClientWhenLeaderDoesNotAccept() throws Exception {
		ServerSocket silent = closing(new ServerSocket(0));
		StreamForwarder impatient = transport(FOLLOWER, () -> node, Duration.ofSeconds(2)).forwarder();
		follow(impatient);
		impatient.setLeader(new Endpoint("127.0.0.1", silent.getLocalPort()));
		await().until(impatient::isReady);
		List<Socket> clients = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			clients.add(client());
		}
		for (Socket client : clients) {
			assertThat(client.getInputStream().read()).isEqualTo(-1);
		}
		impatient.setLeader(this.leader);
		await().until(impatient::isReady);
		Socket next = client();
		send(next, "next");
		assertThat(line(acceptedSocket().getInputStream())).isEqualTo("next");
	}

	@Test
	void closesClientsWhenCertificateIsNotUsable() throws Exception {
		follow(transport(FOLLOWER, () -> {
			throw new IllegalStateException("as tested");
		}, Duration.ofMinutes(1)).forwarder());
		for (int i = 0; i < 20; i++) {
			assertThat(client().getInputStream().read()).isEqualTo(-1);
		}
	}

	@Test
	void connectsManyClientsConcurrently() throws Exception {
		List<Socket> clients = new ArrayList<>();
		for (int i = 0; i < 40; i++) {
			Socket client = client();
			clients.add(client);
			send(client, "client " + i);
		}
		for (int i = 0; i < 40; i++) {
			Socket broker = acceptedSocket();
			send(broker, line(broker.getInputStream()));
		}
		for (int i = 0; i < 40; i++) {
			assertThat(line(clients.get(i).getInputStream())).isEqualTo("client " + i);
		}
	}

	@Test
	void clientLeavingEarlyDoesNotBlockOthers() throws Exception {
		for (int i = 0; i < 20; i++) {
			client().close();
		}
		Socket client = client();
		send(client, "patient");
		// Clients that have left may have been connected.
		await().until(() -> {
			Socket broker = this.accepted.poll(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
			return new String(broker.getInputStream().readNBytes("127.0.0.1\npatient\n".length()),
					StandardCharsets.UTF_8)
				.endsWith("patient\n");
		});
	}

	@Test
	void dropsClientThatLeavesWhileStreamOpens() throws Exception {
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch pause = new CountDownLatch(1);
		this.target = pausing(entered, pause);
		Socket client = client();
		send(client, "CONNECT");
		assertThat(entered.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
		client.close();
		try {
			await().until(() -> this.clients.isEmpty());
		}
		finally {
			pause.countDown();
		}
		assertThat(acceptedSocket().getInputStream().readAllBytes()).isEmpty();
	}

	@Test
	void dropsFirstBytesOfStreamThatEndsDuringPause() throws Exception {
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch pause = new CountDownLatch(1);
		this.target = pausing(entered, pause);
		SSLSocket stream = closing(socket(node));
		try {
			stream.getOutputStream().write(stream(new byte[] { 127, 0, 0, 1 }));
			assertThat(entered.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
			send(stream, "CONNECT");
			// Closing the socket would wait for the answer.
			stream.shutdownOutput();
		}
		finally {
			pause.countDown();
		}
		assertThat(acceptedSocket().getInputStream().readAllBytes()).isEmpty();
	}

	/** Returns a target that pauses the leader's event loop. */
	private StreamTarget pausing(CountDownLatch entered, CountDownLatch pause) {
		StreamTarget broker = Objects.requireNonNull(this.target);
		return new StreamTarget() {

			@Override
			public EventLoopGroup eventLoops() {
				entered.countDown();
				waitFor(pause);
				return broker.eventLoops();
			}

			@Override
			public void accept(Channel connection, InetSocketAddress client) {
				broker.accept(connection, client);
			}

		};
	}

	@Test
	void closesStreamThatEndsDuringPause() throws Exception {
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch pause = new CountDownLatch(1);
		this.target = pausing(entered, pause);
		SSLSocket stream = closing(socket(node));
		try {
			stream.getOutputStream().write(stream(new byte[] { 127, 0, 0, 1 }));
			assertThat(entered.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
			stream.setSoLinger(true, 0);
			stream.close();
		}
		finally {
			pause.countDown();
		}
		await().until(this.streams::isEmpty);
		Socket next = client();
		send(next, "next");
		await().until(() -> this.streams.size() == 1);
	}

	@Test
	void closesStreamWhenNodeClosesDuringPause() throws Exception {
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch pause = new CountDownLatch(1);
		this.target = pausing(entered, pause);
		Socket client = client();
		assertThat(entered.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
		Thread closing = new Thread(this.server::close);
		closing.start();
		this.eventLoops.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
		pause.countDown();
		closing.join(TIMEOUT_MILLIS);
		assertThat(closing.isAlive()).isFalse();
		assertThat(this.streams.size()).isZero();
		client.close();
	}

	@Test
	void closesStreamThatBrokerFailsToAccept() throws Exception {
		EventLoopGroup loops = this.eventLoops;
		this.target = new StreamTarget() {

			@Override
			public EventLoopGroup eventLoops() {
				return loops;
			}

			@Override
			public void accept(Channel connection, InetSocketAddress client) {
				throw new IllegalStateException("as tested");
			}

		};
		assertThat(client().getInputStream().read()).isEqualTo(-1);
	}

	@Test
	void brokerEventLoopServesStream() throws Exception {
		Socket client = client();
		send(client, "early");
		assertThat(line(acceptedSocket().getInputStream())).isEqualTo("early");
		Channel stream = this.streams.iterator().next();
		assertThat(this.eventLoops).contains(stream.eventLoop());
		assertThat(stream.pipeline().names()).noneMatch((name) -> name.contains("Flush") || name.contains("Frame"));
	}

	@Test
	void busyBrokerDoesNotDelayNodes() throws Exception {
		send(client(), "first");
		assertThat(line(acceptedSocket().getInputStream())).isEqualTo("first");
		CountDownLatch end = new CountDownLatch(1);
		this.eventLoops.forEach((loop) -> loop.execute(() -> waitFor(end)));
		CountDownLatch greeted = new CountDownLatch(1);
		this.target = pausing(greeted, new CountDownLatch(0));
		SSLSocket stream = closing(socket(node));
		try {
			stream.getOutputStream().write(stream(new byte[] { 127, 0, 0, 1 }));
			assertThat(greeted.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
		}
		finally {
			end.countDown();
		}
		assertThat(stream.getInputStream().read()).isEqualTo(StreamGreeting.ACCEPTED);
	}

	private static void waitFor(CountDownLatch latch) {
		try {
			assertThat(latch.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void refusesStreamFromNodeThatDoesNotWait() throws Exception {
		byte[] greeting = stream(new byte[] { 127, 0, 0, 1 });
		try (SSLSocket socket = socket(node)) {
			assertRefused(socket, Arrays.copyOf(greeting, greeting.length + 1));
		}
	}

	@Test
	void refusesStreamFromNodeWithCertificateForOtherHost() throws Exception {
		StreamForwarder stranger = transport(FOLLOWER, certificate("10.0.0.1")).forwarder();
		stranger.setLeader(this.leader);
		await().until(stranger::isReady);
		try (Socket client = new Socket("127.0.0.1", follower(stranger))) {
			client.setSoTimeout(TIMEOUT_MILLIS);
			assertThat(client.getInputStream().read()).isEqualTo(-1);
		}
		assertThat(this.accepted).isEmpty();
	}

	@Test
	void refusesStreamWithoutCertificate() throws Exception {
		SSLContext trusting = PemFiles
			.trusting(Files.writeString(directory.resolve("ca"), authority.certificate().certificatePem()))
			.newContext();
		try (SSLSocket socket = socket(trusting)) {
			assertRefused(socket, stream(new byte[] { 127, 0, 0, 1 }));
		}
	}

	@Test
	void refusesMalformedStreams() throws Exception {
		for (byte[] address : List.of(new byte[0], new byte[3], new byte[5], new byte[17])) {
			try (SSLSocket socket = socket(node)) {
				assertRefused(socket, stream(address));
			}
		}
		assertThat(this.accepted).isEmpty();
	}

	private SSLSocket socket(SSLContext context) throws IOException {
		SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", this.leader.getPort());
		socket.setSoTimeout(TIMEOUT_MILLIS);
		return socket;
	}

	private byte[] stream(byte[] address) {
		ByteBuf frame = new Greeting(GROUP, "127.0.0.1:1", this.leader.toString(), "", "", "")
			.encode(ByteBufAllocator.DEFAULT, Greeting.STREAM);
		if (address.length > 0) {
			frame.writeShort(1).writeBytes(address);
		}
		frame.setInt(0, frame.readableBytes() - Frames.LENGTH_BYTES);
		byte[] bytes = ByteBufUtil.getBytes(frame);
		frame.release();
		return bytes;
	}

	private static void assertRefused(SSLSocket socket, byte[] greeting) throws IOException {
		try {
			new DataOutputStream(socket.getOutputStream()).write(greeting);
			assertThat(new DataInputStream(socket.getInputStream()).read()).isEqualTo(-1);
		}
		catch (SocketTimeoutException ex) {
			throw new AssertionError("The node does not close the connection", ex);
		}
		catch (IOException ex) {
			// The connection was closed with an alert or a reset.
		}
	}

	/** Passes clients' bytes to a socket, so that tests can block. */
	private final class Broker implements StreamTarget {

		private final InetSocketAddress socket;

		Broker(InetSocketAddress socket) {
			this.socket = socket;
		}

		@Override
		public EventLoopGroup eventLoops() {
			return StreamTests.this.eventLoops;
		}

		@Override
		public void accept(Channel connection, InetSocketAddress client) {
			StreamTests.this.streams.add(connection);
			connection.config().setAutoRead(false);
			connection.config().setWriteBufferWaterMark(Relay.QUEUED);
			ChannelFuture connecting = new Bootstrap().group(connection.eventLoop())
				.channel(NioSocketChannel.class)
				.option(ChannelOption.AUTO_READ, false)
				.option(ChannelOption.WRITE_BUFFER_WATER_MARK, Relay.QUEUED)
				.handler(new ChannelInitializer<>() {
					@Override
					protected void initChannel(Channel channel) {
						// Handlers are added once it is connected.
					}
				})
				.connect(this.socket);
			connecting.addListener((connected) -> {
				Channel channel = connecting.channel();
				String line = client.getAddress().getHostAddress() + '\n';
				channel.writeAndFlush(ByteBufUtil.writeUtf8(channel.alloc(), line));
				Relay.between(connection, channel, Relay.STALL_TIMEOUT);
			});
		}

	}

}
