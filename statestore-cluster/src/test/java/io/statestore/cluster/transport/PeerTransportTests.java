package io.statestore.cluster.transport;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

import com.alipay.sofa.jraft.error.InvokeTimeoutException;
import com.alipay.sofa.jraft.error.RemotingException;
import com.alipay.sofa.jraft.rpc.CliRequests.ResetPeerRequest;
import com.alipay.sofa.jraft.rpc.InvokeCallback;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.PingRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.ReadIndexRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import com.alipay.sofa.jraft.util.Endpoint;
import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.statestore.broker.certificates.CertificateAuthority;
import io.statestore.broker.certificates.CertificateRequest;
import io.statestore.broker.certificates.IssuedCertificate;
import io.statestore.broker.log.SpareSpace;
import io.statestore.broker.security.PemFiles;
import io.statestore.test.FreePorts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Tests peers that are not trusted or do not follow the protocol. */
class PeerTransportTests {

	private static final String GROUP = "test";

	private static final PingRequest PING = PingRequest.newBuilder().setSendTimestamp(1).build();

	@TempDir
	private static Path directory;

	private static final CertificateAuthority authority = CertificateAuthority.create("cluster", Duration.ofDays(1));

	private final List<AutoCloseable> resources = new ArrayList<>();

	/** TLS context of the server. */
	private static SSLContext serverTls;

	/** TLS context that a trusted peer uses for all of its connections. */
	private static SSLContext good;

	private static int contexts;

	private PeerTransport server;

	private Endpoint serverEndpoint;

	@BeforeAll
	static void issueCertificates() throws Exception {
		serverTls = tls(authority, authority, "127.0.0.1");
		good = tls(authority, authority, "127.0.0.1");
	}

	@BeforeEach
	void start() throws Throwable {
		this.serverEndpoint = new Endpoint("127.0.0.1", FreePorts.next());
		this.server = transport(this.serverEndpoint, serverTls);
		this.server.start();
	}

	@AfterEach
	void stop() throws Throwable {
		for (AutoCloseable resource : this.resources) {
			resource.close();
		}
	}

	private static SSLContext tls(CertificateAuthority issuer, CertificateAuthority trusted, String host)
			throws IOException, GeneralSecurityException {
		IssuedCertificate certificate = issuer.issue(CertificateRequest.node(List.of(host), Duration.ofDays(1)));
		Path base = Files.createDirectory(directory.resolve("tls-" + contexts++));
		return PemFiles
			.of(Files.writeString(base.resolve("crt"), certificate.certificatePem()),
					Files.writeString(base.resolve("key"), certificate.keyPem()))
			.withAuthorities(Files.writeString(base.resolve("ca"), trusted.certificate().certificatePem()))
			.newContext();
	}

	private PeerTransport transport(Endpoint self, SSLContext tls) {
		return transport(self, tls, Duration.ofMinutes(1));
	}

	private PeerTransport transport(Endpoint self, SSLContext tls, Duration handshakeTimeout) {
		PeerTransport transport = new PeerTransport(
				new TransportOptions(GROUP, self, new InetSocketAddress("127.0.0.1", self.getPort()), () -> tls, 65_536,
						handshakeTimeout, new KnownDirectories("", "")),
				new DiskAdmission(new SpareSpace(0)), Reachability.ALL);
		this.resources.add(transport);
		return transport;
	}

	private PeerClient client(SSLContext tls) {
		return client(new Endpoint("127.0.0.1", 1), tls);
	}

	private PeerClient client(Endpoint self, SSLContext tls) {
		PeerClient client = new PeerClient();
		client.init(new ClusterNodeOptions(transport(self, tls)));
		return client;
	}

	private void assertServes() throws Throwable {
		Object response = ping(client(good), this.serverEndpoint);
		assertThat(response).isInstanceOfSatisfying(ErrorResponse.class,
				(ping) -> assertThat(ping.getErrorCode()).isZero());
	}

	/** Sends a ping like JRaft. */
	static Object ping(PeerClient client, Endpoint server) throws Throwable {
		try {
			return send(client, server, PING).get(30, TimeUnit.SECONDS);
		}
		catch (ExecutionException ex) {
			throw ex.getCause();
		}
	}

	/** Sends a request like JRaft. */
	static CompletableFuture<Object> send(PeerClient client, Endpoint server, Message request) {
		CompletableFuture<Object> result = new CompletableFuture<>();
		client.invokeAsync(server, request, null, new InvokeCallback() {

			@Override
			public void complete(Object response, Throwable failure) {
				if (failure != null) {
					result.completeExceptionally(failure);
				}
				else {
					result.complete(response);
				}
			}

			@Override
			public Executor executor() {
				return Runnable::run;
			}

		}, 20_000);
		return result;
	}

	@Test
	void doesNotWaitForConnectionToSilentPeer() throws Throwable {
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			PeerClient client = client(good);
			Endpoint peer = new Endpoint("127.0.0.1", silent.getLocalPort());
			assertThat(client.invokeSync(peer, PING, null, 20_000)).isNotNull();
			assertThat(client.checkConnection(peer, true)).isTrue();
			List<CompletableFuture<Object>> calls = new ArrayList<>();
			await().until(() -> {
				calls.add(send(client, peer, PING));
				return !client.checkConnection(peer, true);
			});
			assertThat(calls).hasSizeLessThan(20).allSatisfy((call) -> assertThat(call).isNotDone());
			assertThat(ping(client, this.serverEndpoint)).isNotNull();
		}
	}

	@Test
	void sendsRequestOnceConnectionIsOpen() throws Throwable {
		PeerClient client = client(good);
		client.invokeSync(this.serverEndpoint, PING, null, 20_000);
		assertThat(ping(client, this.serverEndpoint)).isNotNull();
	}

	@Test
	void answersTrustedPeer() throws Throwable {
		assertServes();
	}

	@Test
	void noticesPeerClose() throws Throwable {
		PeerClient client = client(good);
		for (int i = 0; i < 20; i++) {
			assertThat(ping(client, this.serverEndpoint)).isNotNull();
			this.server.close();
			await().until(() -> !client.checkConnection(this.serverEndpoint));
			this.server = transport(this.serverEndpoint, serverTls);
			this.server.start();
		}
	}

	@Test
	void reportsProcessEndButNotConnectionEnd() throws Throwable {
		List<Endpoint> ended = new CopyOnWriteArrayList<>();
		this.server.onProcessEnd(ended::add);
		Endpoint peer;
		try (ServerSocket process = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			process.setSoTimeout(30_000);
			peer = new Endpoint("127.0.0.1", process.getLocalPort());
			connectAndClose(peer);
			process.accept().close();
		}
		connectAndClose(peer);
		await().untilAsserted(() -> assertThat(ended).containsExactly(peer));
	}

	private void connectAndClose(Endpoint self) throws Throwable {
		PeerClient client = client(self, good);
		assertThat(ping(client, this.serverEndpoint)).isNotNull();
		client.closeConnection(this.serverEndpoint);
	}

	@Test
	void listensOnConfiguredAddressOnly() {
		assertThat(this.server.localAddress().getAddress().getHostAddress()).isEqualTo("127.0.0.1");
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> new Socket("127.0.0.2", this.serverEndpoint.getPort()).close());
	}

	@Test
	void refusesPeerFromOtherAuthority() throws Throwable {
		CertificateAuthority other = CertificateAuthority.create("other", Duration.ofDays(1));
		assertRefused(client(tls(other, authority, "127.0.0.1")), this.serverEndpoint);
		assertServes();
	}

	@Test
	void doesNotTalkToServerFromOtherAuthority() throws Throwable {
		CertificateAuthority other = CertificateAuthority.create("other", Duration.ofDays(1));
		assertRefused(client(tls(authority, other, "127.0.0.1")), this.serverEndpoint);
		assertServes();
	}

	@Test
	void doesNotTalkToServerWithCertificateForOtherHost() throws Throwable {
		Endpoint other = new Endpoint("127.0.0.1", FreePorts.next());
		PeerTransport impostor = transport(other, tls(authority, authority, "127.0.0.9"));
		impostor.start();
		assertRefused(client(good), other);
	}

	@Test
	void refusesPeerThatClaimsHostOfAnother() throws Throwable {
		assertRefused(client(new Endpoint("127.0.0.2", 1), good), this.serverEndpoint);
		assertServes();
	}

	@Test
	void refusesClientCertificateWithoutHost() throws Throwable {
		IssuedCertificate certificate = authority.issue(CertificateRequest.client("press-1", Duration.ofDays(1)));
		Path base = Files.createDirectory(directory.resolve("client"));
		SSLContext tls = PemFiles
			.of(Files.writeString(base.resolve("crt"), certificate.certificatePem()),
					Files.writeString(base.resolve("key"), certificate.keyPem()))
			.withAuthorities(Files.writeString(base.resolve("ca"), authority.certificate().certificatePem()))
			.newContext();
		assertRefused(client(tls), this.serverEndpoint);
	}

	private static void assertRefused(PeerClient client, Endpoint server) {
		assertThatExceptionOfType(RemotingException.class).isThrownBy(() -> ping(client, server))
			.isNotInstanceOf(InvokeTimeoutException.class);
	}

	@Test
	void refusesPlainBytes() throws Throwable {
		try (Socket socket = new Socket("127.0.0.1", this.serverEndpoint.getPort())) {
			socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
			assertEnds(socket);
		}
		assertServes();
	}

	@Test
	void refusesPeerThatDoesNotGreet() throws Throwable {
		this.serverEndpoint = new Endpoint("127.0.0.1", FreePorts.next());
		transport(this.serverEndpoint, good, Duration.ofSeconds(2)).start();
		try (Socket silent = new Socket("127.0.0.1", this.serverEndpoint.getPort()); SSLSocket socket = connect()) {
			assertEnds(socket);
			assertEnds(silent);
		}
	}

	@Test
	void closesUnknownConnectionsBeyondLimit() throws Throwable {
		Endpoint patient = new Endpoint("127.0.0.1", FreePorts.next());
		transport(patient, good).start();
		List<Socket> sockets = new ArrayList<>();
		for (int i = 0; i < UnknownConnections.MAX_PER_ADDRESS + 6; i++) {
			Socket socket = new Socket("127.0.0.1", patient.getPort());
			socket.setSoTimeout(1);
			sockets.add(socket);
			this.resources.add(socket);
		}
		await().until(() -> sockets.stream().filter(PeerTransportTests::hasEnded).count() == 6);
		ping(client(good), patient);
	}

	private static boolean hasEnded(Socket socket) {
		try {
			return socket.getInputStream().read() < 0;
		}
		catch (SocketTimeoutException ex) {
			return false;
		}
		catch (IOException ex) {
			return true;
		}
	}

	@Test
	void refusesOversizedGreeting() throws Throwable {
		try (SSLSocket socket = connect()) {
			DataOutputStream output = new DataOutputStream(socket.getOutputStream());
			output.writeInt(Integer.MAX_VALUE);
			output.flush();
			assertEnds(socket);
		}
		assertServes();
	}

	@Test
	void refusesOversizedFrame() throws Throwable {
		try (SSLSocket socket = greeted()) {
			DataOutputStream output = new DataOutputStream(socket.getOutputStream());
			output.writeInt(Integer.MAX_VALUE);
			output.flush();
			assertEnds(socket);
		}
		assertServes();
	}

	@Test
	void refusesUnknownRequest() throws Throwable {
		assertRefused(99, PING);
	}

	@Test
	void refusesMessageOfUnexpectedClass() throws Throwable {
		// The response lacks the required fields of a vote.
		assertRefused(MessageType.REQUEST_VOTE.code(), ErrorResponse.newBuilder().setErrorCode(1).build());
	}

	@Test
	void refusesJRaftCommandLineRequest() throws Throwable {
		ResetPeerRequest reset = ResetPeerRequest.newBuilder()
			.setGroupId(GROUP)
			.setPeerId(this.serverEndpoint.toString())
			.addNewPeers("127.0.0.1:1")
			.build();
		for (int code = 0; code < 256; code++) {
			if (MessageType.of(code) == null) {
				assertEnds(code, reset);
			}
			if (code == 20) {
				code = 250;
			}
		}
		assertServes();
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> MessageType.ofRequest(reset));
	}

	@Test
	void refusesVoteOnBehalfOfOtherNode() throws Throwable {
		assertRefused(MessageType.REQUEST_VOTE.code(), vote("127.0.0.1:7", GROUP));
	}

	@Test
	void refusesVoteForOtherCluster() throws Throwable {
		assertRefused(MessageType.REQUEST_VOTE.code(), vote("127.0.0.1:1", "other"));
	}

	@Test
	void answersReadIndexForwardedByFormerLeader() throws Throwable {
		ReadIndexRequest request = ReadIndexRequest.newBuilder()
			.setGroupId(GROUP)
			.setServerId("127.0.0.1:7")
			.setPeerId(this.serverEndpoint.toString())
			.build();
		try (SSLSocket socket = greeted()) {
			send(socket, Frames.encode(UnpooledByteBufAllocator.DEFAULT, Frames.REQUEST, MessageType.READ_INDEX.code(),
					7, request));
			DataInputStream input = new DataInputStream(socket.getInputStream());
			byte[] response = input.readNBytes(input.readInt());
			assertThat(response[9]).isEqualTo((byte) 7);
		}
	}

	private RequestVoteRequest vote(String sender, String group) {
		return RequestVoteRequest.newBuilder()
			.setGroupId(group)
			.setServerId(sender)
			.setPeerId(this.serverEndpoint.toString())
			.setTerm(Long.MAX_VALUE)
			.setLastLogIndex(1)
			.setLastLogTerm(1)
			.setPreVote(false)
			.build();
	}

	private void assertRefused(int code, Message request) throws Throwable {
		assertEnds(code, request);
		assertServes();
	}

	private void assertEnds(int code, Message request) throws Throwable {
		try (SSLSocket socket = greeted()) {
			send(socket, Frames.encode(UnpooledByteBufAllocator.DEFAULT, Frames.REQUEST, code, 1, request));
			assertEnds(socket);
		}
	}

	@Test
	void answersRequestsInPieces() throws Throwable {
		try (SSLSocket socket = greeted()) {
			byte[] frame = bytes(Frames.encode(UnpooledByteBufAllocator.DEFAULT, Frames.REQUEST, 1, 7, PING));
			for (byte piece : frame) {
				socket.getOutputStream().write(piece);
				socket.getOutputStream().flush();
			}
			DataInputStream input = new DataInputStream(socket.getInputStream());
			byte[] response = input.readNBytes(input.readInt());
			assertThat(response[0]).isEqualTo((byte) Frames.ERROR);
			assertThat(response[9]).isEqualTo((byte) 7);
		}
	}

	@Test
	void partialFrameDoesNotAffectOtherPeers() throws Throwable {
		try (SSLSocket socket = greeted()) {
			new DataOutputStream(socket.getOutputStream()).writeInt(1_000);
			assertServes();
		}
		assertServes();
	}

	@Test
	void peerIgnoringResponsesDoesNotAffectOtherPeers() throws Throwable {
		try (SSLSocket socket = greeted()) {
			byte[] frame = bytes(Frames.encode(UnpooledByteBufAllocator.DEFAULT, Frames.REQUEST, 1, 7, PING));
			CompletableFuture<Void> flood = CompletableFuture.runAsync(() -> {
				try {
					for (int i = 0; i < 5_000_000; i++) {
						socket.getOutputStream().write(frame);
					}
				}
				catch (IOException ex) {
					// The test has closed the connection.
				}
			});
			await().pollDelay(Duration.ofMillis(500)).until(() -> !flood.isDone());
			assertServes();
			socket.close();
			flood.get(30, TimeUnit.SECONDS);
		}
	}

	@Test
	void impostorCannotChooseResponseClass() throws Throwable {
		// Plays the peer described in decision 40, which answers a ping with bytes of
		// another kind.
		try (SSLServerSocket listener = (SSLServerSocket) good.getServerSocketFactory()
			.createServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
			CompletableFuture<Void> peer = CompletableFuture.runAsync(() -> answerWithHessian(listener));
			Endpoint endpoint = new Endpoint("127.0.0.1", listener.getLocalPort());
			assertRefused(client(good), endpoint);
			peer.get(30, TimeUnit.SECONDS);
		}
	}

	private static void answerWithHessian(SSLServerSocket listener) {
		try (Socket socket = listener.accept()) {
			DataInputStream input = new DataInputStream(socket.getInputStream());
			input.readNBytes(input.readInt());
			byte[] request = input.readNBytes(input.readInt());
			DataOutputStream output = new DataOutputStream(socket.getOutputStream());
			byte[] body = { 'M', 't', 0, 0x11, 'j', 'a', 'v', 'a', '.', 'u', 't', 'i', 'l', '.', 'H', 'a', 's', 'h',
					'M', 'a', 'p', 'z' };
			output.writeInt(Frames.HEADER_BYTES + body.length);
			output.writeByte(Frames.ERROR);
			output.write(request, 1, Frames.HEADER_BYTES - 1);
			output.write(body);
			output.flush();
			input.read();
		}
		catch (IOException ex) {
			// The client has closed the connection.
		}
	}

	@Test
	void callTimesOutWithoutResponse() throws Throwable {
		try (SSLServerSocket listener = (SSLServerSocket) good.getServerSocketFactory()
			.createServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
			CompletableFuture<Void> peer = CompletableFuture.runAsync(() -> {
				try (Socket socket = listener.accept()) {
					socket.getInputStream().readAllBytes();
				}
				catch (IOException ex) {
					// The client has closed the connection.
				}
			});
			PeerClient client = client(good);
			Endpoint endpoint = new Endpoint("127.0.0.1", listener.getLocalPort());
			CompletableFuture<Throwable> failure = new CompletableFuture<>();
			client.invokeAsync(endpoint, PING, null, callback(failure), 300);
			assertThat(failure.get(30, TimeUnit.SECONDS)).isInstanceOf(InvokeTimeoutException.class);
			client.shutdown();
			peer.get(30, TimeUnit.SECONDS);
		}
	}

	private static InvokeCallback callback(CompletableFuture<Throwable> failure) {
		return new InvokeCallback() {

			@Override
			public void complete(Object result, Throwable cause) {
				failure.complete(cause);
			}

			@Override
			public Executor executor() {
				return Runnable::run;
			}

		};
	}

	private SSLSocket connect() throws Exception {
		return (SSLSocket) good.getSocketFactory().createSocket("127.0.0.1", this.serverEndpoint.getPort());
	}

	/** Returns a trusted peer's connection that has greeted. */
	private SSLSocket greeted() throws Exception {
		SSLSocket socket = connect();
		send(socket, new Greeting(GROUP, "127.0.0.1:1", this.serverEndpoint.toString(), "", "", "")
			.encode(UnpooledByteBufAllocator.DEFAULT));
		return socket;
	}

	private static void send(SSLSocket socket, ByteBuf frame) throws IOException {
		socket.getOutputStream().write(bytes(frame));
		socket.getOutputStream().flush();
	}

	private static byte[] bytes(ByteBuf frame) {
		try {
			return ByteBufUtil.getBytes(frame);
		}
		finally {
			frame.release();
		}
	}

	/** Verifies that the other side closes a connection. */
	private static void assertEnds(Socket socket) throws IOException {
		socket.setSoTimeout(30_000);
		try {
			while (socket.getInputStream().read() >= 0) {
				// An alert may precede the end.
			}
		}
		catch (SocketTimeoutException ex) {
			throw new AssertionError("The connection is still open", ex);
		}
		catch (IOException ex) {
			// The connection was reset.
		}
	}

}
