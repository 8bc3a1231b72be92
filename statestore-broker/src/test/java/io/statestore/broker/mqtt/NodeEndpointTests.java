package io.statestore.broker.mqtt;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.security.Account;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.AuditLog;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ch.qos.logback.classic.Level;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Sockets of a node, and the addresses of clients that other nodes forward. */
@Isolated("captures the log")
class NodeEndpointTests {

	private static final int MAX = 20;

	private static final int BAD_LOGIN = 0x86;

	private final MemoryBudget budget = MemoryBudget.unlimited();

	private final MqttBrokerSettings settings = new MqttBrokerSettings("localhost", 0, 100_000)
		.withNetwork(NetworkSettings.DEFAULT.withMaxConnectionsPerAddress(MAX))
		.withSecurity(new MqttSecurity(List.of(new Account("ada", "sesame")), AnonymousAccess.LOOPBACK, null));

	private final EchoServer server = new EchoServer();

	private final List<AutoCloseable> resources = new ArrayList<>();

	private NodeEndpoint endpoint;

	private volatile MqttBroker broker;

	@BeforeEach
	void start() {
		this.endpoint = NodeEndpoint.listen(this.settings, this.budget, (port) -> "node.example:" + port, this::route);
		this.broker = MqttBroker.behind(this.endpoint, this.settings, this.server, this.budget, null);
	}

	private void route(Channel connection, boolean forwarded) {
		this.broker.accept(connection);
	}

	@AfterEach
	void stop() throws Exception {
		for (AutoCloseable resource : this.resources) {
			resource.close();
		}
		this.broker.close();
		this.endpoint.close();
	}

	private byte[] header(String address) throws IOException {
		ByteBuf header = this.endpoint.header(UnpooledByteBufAllocator.DEFAULT,
				new InetSocketAddress(InetAddress.getByName(address), 4711));
		try {
			return ByteBufUtil.getBytes(header);
		}
		finally {
			header.release();
		}
	}

	private RawMqttConnection connection(int port) throws IOException {
		RawMqttConnection connection = new RawMqttConnection(port);
		this.resources.add(connection);
		return connection;
	}

	/** Connects as another node does, for a client at an address. */
	private RawMqttConnection from(String address) throws IOException {
		RawMqttConnection connection = connection(this.endpoint.address().getPort());
		connection.sendBytes(header(address));
		return connection;
	}

	@Test
	void servesOwnClients() throws Exception {
		RawMqttConnection client = connection(this.endpoint.port());
		assertThat(client.connect("own").reason()).isZero();
		client.ping();
	}

	@Test
	void forwardedClientHasAddressOfOtherNode() throws Exception {
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
				PropertyType.MAXIMUM_PACKET_SIZE.of(LeaderReference.MIN_PACKET_SIZE));
		assertThat(leader(limited)).isNotNull();
	}

	@Test
	void namesNoLeaderToOtherClients() throws Exception {
		assertThat(leader(connection(this.endpoint.port()).connect("own"))).isNull();
		assertThat(leader(from("192.0.2.7").connect("refused"))).isNull();
		assertThat(leader(from("127.0.0.1").connect("small",
				PropertyType.MAXIMUM_PACKET_SIZE.of(LeaderReference.MIN_PACKET_SIZE - 1))))
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
	void forwardedClientIsNotOnThisMachine() throws Exception {
		assertThat(from("192.0.2.7").connect("anonymous").reason()).isEqualTo(BAD_LOGIN);
		assertThat(from("2001:db8::7").connect("anonymous").reason()).isEqualTo(BAD_LOGIN);
		assertThat(from("127.0.0.1").connect("local").reason()).isZero();
	}

	@Test
	void readsHeaderInSmallParts() throws Exception {
		RawMqttConnection client = connection(this.endpoint.address().getPort());
		for (byte part : header("::1")) {
			client.sendBytes(part);
		}
		assertThat(client.connect("slow").reason()).isZero();
	}

	@Test
	void readsConnectBehindHeader() throws Exception {
		RawMqttConnection client = connection(this.endpoint.address().getPort());
		byte[] header = header("127.0.0.1");
		byte[] connect = client.encode(RawConnect.of("early"));
		byte[] both = new byte[header.length + connect.length];
		System.arraycopy(header, 0, both, 0, header.length);
		System.arraycopy(connect, 0, both, header.length, connect.length);
		client.sendBytes(both);
		assertThat(client.receiveReason(PacketType.CONNACK)).isZero();
	}

	@Test
	void countsConnectionsByAddressOfClient() throws Exception {
		for (int i = 0; i < MAX; i++) {
			assertThat(from("192.0.2.7").connect(RawConnect.of("a" + i).login("ada", "sesame")).reason()).isZero();
		}
		from("192.0.2.7").assertClosed();
		assertThat(from("192.0.2.8").connect(RawConnect.of("b").login("ada", "sesame")).reason()).isZero();
		assertThat(connection(this.endpoint.port()).connect("own").reason()).isZero();
		assertThat(this.broker.connections().refused()).isOne();
	}

	@Test
	void closesConnectionWithForgedHeader() throws Exception {
		byte[] forged = header("127.0.0.1");
		forged[31] ^= 1;
		try (CapturedLog log = new CapturedLog(ForwardedHeaderHandler.class.getName(), Level.WARN)) {
			RawMqttConnection forger = connection(this.endpoint.address().getPort());
			forger.sendBytes(forged);
			forger.assertClosed();
			assertThat(log.messages()).allMatch((line) -> !line.contains("secret"));
		}
		RawMqttConnection client = connection(this.endpoint.address().getPort());
		client.sendBytes(client.encode(RawConnect.of("no header, but long enough for one")));
		client.assertClosed();
		assertThat(this.broker.connections().open()).isZero();
	}

	@Test
	void closesConnectionWithAddressOfWrongLength() throws Exception {
		byte[] header = header("127.0.0.1");
		header[32] = 5;
		RawMqttConnection forger = connection(this.endpoint.address().getPort());
		forger.sendBytes(header);
		forger.assertClosed();
	}

	@Test
	void floodWithoutHeaderDoesNotLockOutOtherNodes() throws Exception {
		for (int i = 0; i < 300; i++) {
			Socket silent = new Socket();
			this.resources.add(silent);
			silent.connect(this.endpoint.address());
		}
		assertThat(from("127.0.0.1").connect("c").reason()).isZero();
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
