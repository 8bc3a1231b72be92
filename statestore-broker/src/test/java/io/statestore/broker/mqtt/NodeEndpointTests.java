package io.statestore.broker.mqtt;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

import io.netty.channel.Channel;
import io.statestore.broker.certificates.CertificateRequest;
import io.statestore.broker.certificates.TestCertificates;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.security.Account;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.security.CertificateAuthenticator;
import io.statestore.broker.security.CertificateUsernameField;
import io.statestore.broker.security.PemFiles;
import io.statestore.broker.security.ServerTls;
import io.statestore.broker.security.ServerTls.ClientAuth;
import io.statestore.protocol.UserProperties;
import io.statestore.test.CapturedLog;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ch.qos.logback.classic.Level;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** A node's sockets, and the addresses of clients that other nodes forward. */
@Isolated("captures the log")
class NodeEndpointTests {

	private static final int MAX = 20;

	private static final int BAD_LOGIN = 0x86;

	private final MemoryBudget budget = MemoryBudget.unlimited();

	private final MqttBrokerSettings settings = new MqttBrokerSettings("localhost", 0, 100_000)
		.withNetwork(NetworkSettings.DEFAULT.withMaxConnectionsPerAddress(MAX))
		.withSecurity(new MqttSecurity(
				List.of(new Account("ada", "sesame"),
						new CertificateAuthenticator(CertificateUsernameField.COMMON_NAME)),
				AnonymousAccess.LOOPBACK, null));

	/** TLS context of all nodes. */
	private static SSLContext node;

	private static TestCertificates certificates;

	private final EchoServer server = new EchoServer();

	private final BlockingQueue<Channel> routed = new LinkedBlockingQueue<>();

	private final List<AutoCloseable> resources = new ArrayList<>();

	private NodeEndpoint endpoint;

	private ForwardingNodes nodes;

	private volatile MqttBroker broker;

	@BeforeAll
	static void issueCertificates(@TempDir Path directory) throws IOException {
		certificates = new TestCertificates(directory);
		node = certificates.client(CertificateRequest.node(List.of("127.0.0.1"), Duration.ofDays(1))).newContext();
	}

	@BeforeEach
	void start() throws IOException {
		start(this.settings);
	}

	private void start(MqttBrokerSettings settings) throws IOException {
		this.endpoint = new NodeEndpoint(settings, this.budget, (port) -> "node.example:" + port, this::route);
		this.broker = MqttBroker.behind(this.endpoint, settings, this.server, this.budget, null);
		this.nodes = new ForwardingNodes(this.endpoint, node);
	}

	/** Restarts the endpoint with TLS for clients. */
	private void startWithTls() throws Exception {
		stop();
		this.resources.clear();
		ServerTls tls = ServerTls.ofPem(certificates.server(), ClientAuth.WANT);
		start(this.settings.withNetwork(NetworkSettings.DEFAULT.withTls(tls)));
	}

	private void route(Channel connection, boolean forwarded) {
		this.routed.add(connection);
		this.broker.accept(connection);
	}

	@AfterEach
	void stop() throws Exception {
		for (AutoCloseable resource : this.resources) {
			resource.close();
		}
		this.nodes.close();
		this.broker.close();
		this.endpoint.close();
	}

	private RawMqttConnection connection(int port) throws IOException {
		RawMqttConnection connection = new RawMqttConnection(port);
		this.resources.add(connection);
		return connection;
	}

	/** Connects through another node, which sees the client at a given address. */
	private RawMqttConnection from(String address) throws IOException {
		return connection(this.nodes.port(address));
	}

	private RawMqttConnection from(String address, SSLContext tls) throws IOException {
		RawMqttConnection connection = new RawMqttConnection(tls.getSocketFactory().createSocket(),
				this.nodes.port(address));
		this.resources.add(connection);
		return connection;
	}

	@Test
	void servesOwnClients() throws Exception {
		RawMqttConnection client = connection(this.endpoint.port());
		assertThat(client.connect("own").reason()).isZero();
		client.ping();
	}

	@Test
	void forwardedClientKeepsItsAddress() throws Exception {
		try (CapturedLog log = new CapturedLog(AuditLog.LOGGER, Level.INFO)) {
			RawMqttConnection client = from("192.0.2.7");
			assertThat(client.connect(RawConnect.of("c1").login("ada", "sesame")).reason()).isZero();
			client.ping();
			assertThat(log.messages()).contains("event=login principal=\"ada\" client=\"c1\" address=192.0.2.7");
		}
	}

	@Test
	void namesLeaderToForwardedClient() throws Exception {
		RawControl accepted = from("127.0.0.1").connect("forwarded");
		assertThat(accepted.reason()).isZero();
		assertThat(leader(accepted)).isEqualTo("node.example:" + this.endpoint.port());
		RawControl limited = from("127.0.0.1").connect("limited",
				PropertyType.MAXIMUM_PACKET_SIZE.of(ClientAddress.MIN_PACKET_SIZE_FOR_LEADER));
		assertThat(leader(limited)).isNotNull();
	}

	@Test
	void namesNoLeaderToOtherClients() throws Exception {
		assertThat(leader(connection(this.endpoint.port()).connect("own"))).isNull();
		assertThat(leader(from("192.0.2.7").connect("refused"))).isNull();
		assertThat(leader(from("127.0.0.1").connect("small",
				PropertyType.MAXIMUM_PACKET_SIZE.of(ClientAddress.MIN_PACKET_SIZE_FOR_LEADER - 1))))
			.isNull();
		RawControl old = from("127.0.0.1").connect(RawConnect.of("old").version(RawPacket.MQTT_3_1_1));
		assertThat(old.reason()).isZero();
		assertThat(leader(old)).isNull();
	}

	private static @Nullable Object leader(RawControl connack) {
		return (connack.property(PropertyType.USER_PROPERTY) instanceof Map.Entry<?, ?> property
				&& property.getKey().equals(UserProperties.LEADER)) ? property.getValue() : null;
	}

	@Test
	void forwardedClientIsNotLocal() throws Exception {
		assertThat(from("192.0.2.7").connect("anonymous").reason()).isEqualTo(BAD_LOGIN);
		assertThat(from("2001:db8::7").connect("anonymous").reason()).isEqualTo(BAD_LOGIN);
		assertThat(from("127.0.0.1").connect("local").reason()).isZero();
	}

	@Test
	void nodeCertificateDoesNotLogClientIn() throws Exception {
		try (CapturedLog log = new CapturedLog(AuditLog.LOGGER, Level.INFO)) {
			assertThat(from("192.0.2.7").connect("anonymous").reason()).isEqualTo(BAD_LOGIN);
			assertThat(from("127.0.0.1").connect("local").reason()).isZero();
			assertThat(log.messages()).noneMatch((line) -> line.contains("principal=\"127.0.0.1\""));
		}
	}

	@Test
	void nodeCertificateIsNotUsedForTlsClient() throws Exception {
		startWithTls();
		assertThat(from("192.0.2.7", certificates.trust()).connect("anonymous").reason()).isEqualTo(BAD_LOGIN);
	}

	@Test
	void clientCertificateLogsClientIn() throws Exception {
		startWithTls();
		try (CapturedLog log = new CapturedLog(AuditLog.LOGGER, Level.INFO)) {
			RawMqttConnection client = from("192.0.2.7", certificates.client("press-1").newContext());
			assertThat(client.connect("press").reason()).isZero();
			client.ping();
			assertThat(log.messages()).anyMatch(
					(line) -> line.startsWith("event=login principal=\"press-1\" client=\"press\" address=192.0.2.7"));
		}
	}

	@Test
	void reportsRefusedCertificateToForwardedClient() throws Exception {
		startWithTls();
		PemFiles expired = certificates.expired(CertificateRequest.client("late", Duration.ofDays(1)));
		assertThatExceptionOfType(SSLException.class)
			// Only reads, because the broker may end the connection while a client is
			// writing.
			.isThrownBy(() -> from("192.0.2.7", expired.newContext()).read())
			.withMessageContaining("certificate_");
		await("the end").until(() -> this.broker.connections().open() == 0);
	}

	@Test
	void doesNotMistakeNodeTlsForClientTls() throws Exception {
		RawMqttConnection client = from("192.0.2.7");
		assertThat(client.connect(RawConnect.of("c").login("ada", "sesame")).reason()).isZero();
		Channel channel = this.routed.remove();
		assertThat(ServerSslHandler.isSecure(channel)).isFalse();
		assertThat(ServerSslHandler.clientCertificates(channel)).isEmpty();
		assertThat(ServerSslHandler.sessions(channel)).isOne();
	}

	@Test
	void endsWithoutErrorWhenNodeBytesAreCorrupt() throws Exception {
		RawMqttConnection client = from("192.0.2.7");
		assertThat(client.connect(RawConnect.of("c").login("ada", "sesame")).reason()).isZero();
		try (CapturedLog log = new CapturedLog("io.statestore.broker.mqtt", Level.WARN)) {
			this.nodes.corrupt();
			await("the end").until(() -> this.broker.connections().open() == 0);
			this.routed.remove().eventLoop().submit(() -> {
			}).syncUninterruptibly();
			assertThat(log.messages()).isEmpty();
		}
	}

	@Test
	void brokerEventLoopServesForwardedClient() throws Exception {
		RawMqttConnection client = from("127.0.0.1");
		assertThat(client.connect("c").reason()).isZero();
		Channel channel = this.routed.remove();
		assertThat(this.endpoint.eventLoops()).contains(channel.eventLoop());
		client.subscribed("to/c", 1);
		client.send(client.publish("to/c", 0, "x".repeat(90_000)));
		assertThat(client.receivePublish().text()).hasSize(90_000);
	}

	@Test
	void queuesLittleForForwardedClientThatDoesNotRead() throws Exception {
		RawMqttConnection slow = from("127.0.0.1");
		assertThat(slow.connect("slow").reason()).isZero();
		Channel channel = this.routed.remove();
		slow.subscribed("flood", 0);
		RawMqttConnection sender = connection(this.endpoint.port());
		assertThat(sender.connect("sender").reason()).isZero();
		for (int i = 0; i < 2_000 && channel.isWritable(); i++) {
			sender.send(sender.publish("flood", 0, "x".repeat(50_000)));
			sender.ping();
		}
		assertThat(channel.isWritable()).isFalse();
		// At most one packet more than the queue's limit.
		assertThat(channel.bytesBeforeWritable()).isLessThan(256 << 10);
		assertThat(slow.receivePublish().text()).hasSize(50_000);
	}

	@Test
	void disconnectsForwardedClientsWhenMovingThem() throws Exception {
		RawMqttConnection client = from("127.0.0.1");
		assertThat(client.connect("c").reason()).isZero();
		RawMqttConnection silent = from("127.0.0.1");
		this.broker.moveClients("connect again");
		assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x9C);
		client.assertClosed();
		silent.assertClosed();
	}

	@Test
	void abortsForwardedClient() throws Exception {
		RawMqttConnection client = from("127.0.0.1");
		assertThat(client.connect("c").reason()).isZero();
		this.broker.abort(() -> {
		});
		client.assertClosed();
		from("127.0.0.1").assertClosed();
	}

	@Test
	void nodeResetEndsForwardedClient() throws Exception {
		RawMqttConnection client = from("127.0.0.1");
		assertThat(client.connect("c").reason()).isZero();
		client.reset();
		await("the end").until(() -> this.server.events.contains("-c"));
		await("the end").until(() -> this.broker.connections().open() == 0);
	}

	@Test
	void countsConnectionsByClientAddress() throws Exception {
		for (int i = 0; i < MAX; i++) {
			assertThat(from("192.0.2.7").connect(RawConnect.of("a" + i).login("ada", "sesame")).reason()).isZero();
		}
		from("192.0.2.7").assertClosed();
		assertThat(from("192.0.2.8").connect(RawConnect.of("b").login("ada", "sesame")).reason()).isZero();
		assertThat(connection(this.endpoint.port()).connect("own").reason()).isZero();
		assertThat(this.broker.connections().refused()).isOne();
	}

	@Test
	void nextBrokerServesOnSamePort() throws Exception {
		RawMqttConnection client = connection(this.endpoint.port());
		assertThat(client.connect("c").reason()).isZero();
		int port = this.endpoint.port();
		for (int i = 0; i < 3; i++) {
			this.broker.close();
			this.broker = MqttBroker.behind(this.endpoint, this.settings, this.server, this.budget, null);
			RawMqttConnection next = connection(port);
			assertThat(next.connect("c" + i).reason()).isZero();
			assertThat(from("127.0.0.1").connect("f" + i).reason()).isZero();
		}
		client.readToEnd();
		await("the end").until(() -> this.broker.connections().open() == 2);
	}

	@Test
	void closedBrokerAcceptsNothing() throws Exception {
		MqttBroker closed = this.broker;
		closed.close();
		connection(this.endpoint.port()).assertClosed();
		from("127.0.0.1").assertClosed();
	}

}
