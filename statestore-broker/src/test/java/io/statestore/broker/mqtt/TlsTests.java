package io.statestore.broker.mqtt;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

import ch.qos.logback.classic.Level;
import io.statestore.broker.certificates.CertificateRequest;
import io.statestore.broker.certificates.TestCertificates;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.security.PemFiles;
import io.statestore.broker.security.ServerTls;
import io.statestore.broker.security.ServerTls.ClientAuth;
import io.statestore.test.CapturedLog;
import io.statestore.test.PacketType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The broker's TLS, with clients that have no certificate, a valid certificate, or an
 * invalid certificate.
 */
@Timeout(60)
@Isolated("captures the log")
class TlsTests {

	private static final MemoryBudget budget = new MemoryBudget(100_000_000, 100_000_000);

	private static TestCertificates certificates;

	private static TestCertificates others;

	/** A broker that requires client certificates. */
	private static MqttBroker strict;

	/** A broker that does not request client certificates. */
	private static MqttBroker open;

	@BeforeAll
	static void startBrokers(@TempDir Path directory) throws Exception {
		certificates = new TestCertificates(directory.resolve("a"));
		others = new TestCertificates(directory.resolve("b"));
		strict = broker(ClientAuth.NEED, MemoryBudget.unlimited());
		open = broker(ClientAuth.NONE, budget);
	}

	private static MqttBroker broker(ClientAuth clientAuth, MemoryBudget budget) {
		ServerTls tls = ServerTls.ofPem(certificates.server(), clientAuth);
		return MqttBroker.start(
				new MqttBrokerSettings("localhost", 0, 100_000).withNetwork(NetworkSettings.DEFAULT.withTls(tls)),
				new EchoServer(), budget);
	}

	@AfterAll
	static void stopBrokers() {
		strict.close();
		open.close();
	}

	private static RawMqttConnection connect(MqttBroker broker, SSLContext context) throws IOException {
		return new RawMqttConnection(context.getSocketFactory().createSocket(), broker.port());
	}

	/** Exchanges packets, which fails if the handshake of TLS 1.3 was refused. */
	private static void use(RawMqttConnection client, String clientId) throws IOException {
		assertThat(client.connect(clientId).reason()).isZero();
		client.subscribed("to/" + clientId, 1);
		client.send(client.publish("to/" + clientId, 0, "x".repeat(50_000)));
		assertThat(client.receivePublish().text()).hasSize(50_000);
	}

	@ParameterizedTest
	@ValueSource(strings = { "TLSv1.2", "TLSv1.3" })
	void servesTlsVersion(String version) throws Exception {
		SSLSocket socket = (SSLSocket) certificates.trust().getSocketFactory().createSocket();
		socket.setEnabledProtocols(new String[] { version });
		try (RawMqttConnection client = new RawMqttConnection(socket, open.port())) {
			use(client, "version");
			assertThat(socket.getSession().getProtocol()).isEqualTo(version);
		}
	}

	@Test
	void acceptsClientCertificate() throws Exception {
		try (RawMqttConnection client = connect(strict, certificates.client("press-1").newContext())) {
			use(client, "press-1");
		}
	}

	@Test
	void refusesInvalidClientCertificates() throws Exception {
		CertificateRequest expired = CertificateRequest.client("late", Duration.ofDays(1));
		PemFiles stranger = others.client("press-1").withAuthorities(certificates.authorities());
		PemFiles server = certificates.server();
		long failures = strict.connections().tlsFailures();
		refuses(certificates.trust(), "it has no certificate, which this broker requires");
		refuses(certificates.expired(expired).newContext(), "its certificate has expired or is not valid yet");
		refuses(stranger.newContext(), "this broker does not trust its certificate");
		// A certificate for servers must not authenticate a client. The log is limited.
		refuses(server.newContext(), "");
		assertThat(strict.connections().tlsFailures()).isEqualTo(failures + 4);
	}

	private static void refuses(SSLContext context, String message) {
		try (CapturedLog log = new CapturedLog(TlsEvents.class, Level.DEBUG)) {
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> {
				try (RawMqttConnection client = connect(strict, context)) {
					use(client, "refused");
				}
			});
			await("the log").until(() -> log.contains(message));
		}
	}

	@Test
	void logsClientThatDoesNotTrustBroker() throws Exception {
		try (CapturedLog log = new CapturedLog(TlsEvents.class, Level.DEBUG)) {
			assertThatExceptionOfType(SSLException.class).isThrownBy(() -> connect(open, others.trust()));
			await("the log").until(() -> log.contains("rejected the certificate of this broker"));
		}
	}

	@Test
	void logsClientWithoutTls() throws Exception {
		long failures = open.connections().tlsFailures();
		try (CapturedLog log = new CapturedLog(TlsEvents.class, Level.DEBUG);
				RawMqttConnection client = new RawMqttConnection(open.port())) {
			client.send(RawConnect.of("plain"));
			client.readToEnd();
			await("the log").until(() -> log.contains("this port accepts TLS only. Connect with TLS (mqtts://)"));
		}
		assertThat(open.connections().tlsFailures()).isEqualTo(failures + 1);
	}

	@Test
	void logsClientWithTlsOnPlainPort() throws Exception {
		try (MqttBroker plain = MqttBroker.start(new MqttBrokerSettings("localhost", 0, 1_000), new EchoServer(),
				MemoryBudget.unlimited()); CapturedLog log = new CapturedLog(ConnectGuard.class, Level.DEBUG)) {
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> connect(plain, certificates.trust()));
			assertThat(log.messages()).singleElement()
				.asString()
				.contains("that begins with TLS: this broker accepts plain MQTT. Connect without TLS (mqtt://)");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "1503030002022800", "160303FFFF0100FFFB0303", "16030100050100FFFFFF",
			"1703030005AAAAAAAAAA", "474554202F20485454502F312E310D0A0D0A", "8080010301005700000010", "00",
			"1603010000160301000016030100001603010000", "140303000101" })
	void closesConnectionAfterInvalidRecords(String hex) throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(open.port())) {
			client.sendBytes(HexFormat.of().parseHex(hex + "FF".repeat(70_000)));
			client.readToEnd();
		}
		catch (IOException ex) {
			assertThat(ex).hasMessageMatching("Broken pipe|Connection reset.*");
		}
	}

	@Test
	void servesClientsDuringSlowHandshakes() throws Exception {
		byte[] hello = clientHello();
		List<Socket> slow = new ArrayList<>();
		try (RawMqttConnection before = connect(open, certificates.trust())) {
			use(before, "before");
			long refused = open.connections().refused();
			for (int i = 0; i < 400; i++) {
				Socket socket = new Socket("127.0.0.1", open.port());
				slow.add(socket);
				// Half a ClientHello, or a complete one without an answer to the server.
				socket.getOutputStream().write(hello, 0, (i % 8 == 0) ? hello.length : hello.length / 2);
			}
			await("replaced connections").until(() -> {
				return open.connections().refused() >= refused + 144;
			});
			await("released memory of replaced connections").untilAsserted(() -> {
				assertThat(budget.used(MemoryUse.CONNECTING)).isBetween(1L, 257L * TlsAcceptor.CONNECTION_COST);
			});
			before.ping();
			try (RawMqttConnection after = connect(open, certificates.trust())) {
				use(after, "after");
			}
		}
		finally {
			for (Socket socket : slow) {
				socket.close();
			}
		}
		await("released memory").until(() -> budget.used() == 0);
	}

	private static byte[] clientHello() throws Exception {
		SSLEngine engine = certificates.trust().createSSLEngine("localhost", 1);
		engine.setUseClientMode(true);
		ByteBuffer hello = ByteBuffer.allocate(20_000);
		engine.wrap(ByteBuffer.allocate(0), hello);
		return Arrays.copyOf(hello.array(), hello.position());
	}

	@Test
	void acceptsHandshakeByteByByte() throws Exception {
		try (SlowProxy proxy = new SlowProxy(open.port());
				RawMqttConnection client = new RawMqttConnection(certificates.trust().getSocketFactory().createSocket(),
						proxy.port())) {
			assertThat(client.connect("bytes").reason()).isZero();
		}
	}

	@Test
	void closesConnectionThatRenegotiates() throws Exception {
		try (CapturedLog log = new CapturedLog(TlsEvents.class, Level.DEBUG);
				RawMqttConnection other = connect(open, certificates.trust())) {
			use(other, "other");
			SSLSocket socket = (SSLSocket) certificates.trust().getSocketFactory().createSocket();
			socket.setEnabledProtocols(new String[] { "TLSv1.2" });
			try (RawMqttConnection client = new RawMqttConnection(socket, open.port())) {
				use(client, "renegotiating");
				socket.startHandshake();
				client.assertClosed();
			}
			// The end of an earlier test's connection may be logged in the meantime.
			assertThat(log.messages()).filteredOn((message) -> message.contains("that requested a TLS renegotiation"))
				.hasSize(1);
			other.ping();
		}
	}

	@Test
	void clientReceivesDisconnectAndCloseNotify() throws Exception {
		try (MqttBroker stopping = broker(ClientAuth.NONE, MemoryBudget.unlimited());
				RawMqttConnection first = connect(stopping, certificates.trust());
				RawMqttConnection client = connect(stopping, certificates.trust())) {
			use(first, "taken");
			client.connect("taken");
			// Session taken over.
			assertThat(first.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x8E);
			// Without close_notify, the socket would throw an exception.
			assertThat(first.readByte()).isEqualTo(-1);
			stopping.close();
			assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x8B);
			assertThat(client.readByte()).isEqualTo(-1);
		}
	}

	@Test
	@Tag("long")
	@Tag("nightly")
	void servesOneThousandClients() throws Exception {
		List<RawMqttConnection> clients = Collections.synchronizedList(new ArrayList<>());
		try {
			IntStream.range(0, 1_000).parallel().forEach((i) -> {
				try {
					RawMqttConnection client = connect(open, certificates.trust());
					clients.add(client);
					assertThat(client.connect("many-" + i).reason()).isZero();
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			});
			assertThat(open.connections().open()).isGreaterThanOrEqualTo(1_000);
			assertThat(budget.used(MemoryUse.CONNECTION)).isGreaterThan(1_000L * TlsAcceptor.CONNECTION_COST);
			clients.get(0).ping();
			clients.get(999).ping();
		}
		finally {
			for (RawMqttConnection client : clients) {
				client.close();
			}
		}
		await("released memory").until(() -> budget.used() == 0);
	}

	/** A proxy that passes on clients' data one byte at a time. */
	private static final class SlowProxy implements AutoCloseable {

		private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());

		SlowProxy(int target) throws IOException {
			Thread thread = new Thread(() -> {
				try (Socket client = this.server.accept(); Socket broker = new Socket("127.0.0.1", target)) {
					broker.setTcpNoDelay(true);
					Thread back = new Thread(() -> {
						try {
							broker.getInputStream().transferTo(client.getOutputStream());
						}
						catch (IOException ex) {
							// Closed.
						}
					});
					back.setDaemon(true);
					back.start();
					for (int next = client.getInputStream().read(); next >= 0; next = client.getInputStream().read()) {
						broker.getOutputStream().write(next);
					}
				}
				catch (IOException ex) {
					// Closed.
				}
			});
			thread.setDaemon(true);
			thread.start();
		}

		int port() {
			return this.server.getLocalPort();
		}

		@Override
		public void close() throws IOException {
			this.server.close();
		}

	}

}
