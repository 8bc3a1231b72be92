package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
import io.netty.handler.codec.mqtt.MqttProperties.UserProperty;
import io.statestore.client.CommandInvoker;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.mqtt.BrokerAddress;
import io.statestore.client.mqtt.ConnectionListener;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.DisconnectedBehavior;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.UserProperties;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A connection with several hosts. The delay between rounds is longer than the tests, so
 * that only attempts that are made at once can succeed.
 */
@Timeout(30)
@Isolated("captures the log")
class SeveralHostsTests {

	private static final Duration NEVER = Duration.ofHours(1);

	private final CapturedLog log = new CapturedLog("io.statestore.client.mqtt", Level.DEBUG);

	private final List<AutoCloseable> resources = new ArrayList<>();

	private final List<FakeBroker> brokers = new ArrayList<>();

	private FakeBroker broker() {
		FakeBroker broker = new FakeBroker();
		this.resources.add(broker);
		this.brokers.add(broker);
		return broker;
	}

	private void brokers(int count) {
		for (int i = 0; i < count; i++) {
			broker();
		}
	}

	private UselessHost add(UselessHost host) {
		this.resources.add(host);
		return host;
	}

	private static ConnectionOptions.Builder options(List<String> hosts) {
		return ConnectionOptions.builder()
			.hosts(hosts)
			.clientId("test")
			.startTimeout(Duration.ofSeconds(20))
			.reconnectDelay(NEVER, NEVER);
	}

	private MqttConnection connection(ConnectionOptions.Builder options) {
		MqttConnection connection = new MqttConnection(options.build());
		this.resources.add(0, connection);
		return connection;
	}

	private MqttConnection connect() {
		MqttConnection connection = connection(options(this.brokers.stream().map(SeveralHostsTests::address).toList()));
		connection.start();
		assertThat(connection.isConnected()).isTrue();
		return connection;
	}

	private static String address(FakeBroker broker) {
		return "127.0.0.1:" + broker.port();
	}

	/** The broker in use. */
	private FakeBroker used(MqttConnection connection) {
		BrokerAddress address = await("a connection").until(() -> connection.status().broker(), Objects::nonNull);
		return this.brokers.stream().filter((broker) -> broker.port() == address.port()).findFirst().orElseThrow();
	}

	private FakeBroker other(FakeBroker broker) {
		return this.brokers.stream().filter((candidate) -> candidate != broker).findFirst().orElseThrow();
	}

	private static boolean uses(MqttConnection connection, FakeBroker broker) {
		BrokerAddress address = connection.status().broker();
		return address != null && address.port() == broker.port();
	}

	private int connects() {
		return this.brokers.stream().mapToInt((broker) -> broker.connects.size()).sum();
	}

	private static StringProperty reference(String reference) {
		return new StringProperty(MqttProperties.SERVER_REFERENCE, reference);
	}

	/** Lets each broker name a leader. */
	private void name(String leader) {
		this.brokers.forEach((broker) -> broker.connAckProperties.add(new UserProperty(UserProperties.LEADER, leader)));
	}

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable resource : this.resources) {
			resource.close();
		}
		this.log.close();
	}

	@Test
	void reconnectsToOtherHostAtOnce() {
		brokers(2);
		MqttConnection connection = connect();
		FakeBroker first = used(connection);
		first.stop();
		await("the other host").until(() -> uses(connection, other(first)));
		assertThat(connects()).isEqualTo(2);
		assertThat(this.log.messages(Level.WARN)).singleElement()
			.asString()
			.startsWith("Lost connection to mqtt://" + address(first) + " (" + address(first) + ": ");
	}

	@Test
	void skipsHostsThatCloseConnections() {
		List<String> hosts = new ArrayList<>(
				Stream.generate(() -> add(UselessHost.closing()).address()).limit(3).toList());
		hosts.add(address(broker()));
		MqttConnection connection = connection(options(hosts));
		connection.start();
		assertThat(connection.isConnected()).isTrue();
		assertThat(this.log.messages(Level.WARN)).isEmpty();
	}

	@Test
	void skipsSilentHostsAfterConnectTimeout() {
		List<String> hosts = new ArrayList<>(
				Stream.generate(() -> add(UselessHost.silent()).address()).limit(2).toList());
		hosts.add(address(broker()));
		MqttConnection connection = connection(options(hosts).connectTimeout(Duration.ofMillis(300))
			.reconnectDelay(Duration.ofMillis(10), Duration.ofMillis(20)));
		connection.start();
		assertThat(connection.isConnected()).isTrue();
	}

	@Test
	void namesFailureOfEachHostAfterAllHaveFailed() {
		UselessHost closing = add(UselessHost.closing());
		UselessHost silent = add(UselessHost.silent());
		FakeBroker stopped = broker();
		stopped.stop();
		FakeBroker busy = broker();
		busy.connectReturnCode = MqttConnectReturnCode.valueOf((byte) 0x89);
		MqttConnection connection = connection(
				options(List.of(closing.address(), silent.address(), address(stopped), address(busy)))
					.connectTimeout(NEVER)
					.startTimeout(Duration.ZERO));
		connection.start();
		await("the warning").until(() -> !this.log.messages(Level.WARN).isEmpty());
		String causes = closing.address() + ": the broker closed the connection; " + silent.address()
				+ ": no answer in time; " + address(stopped) + ": connection refused; " + address(busy)
				+ ": the broker does not accept connections now: server busy (0x89)). ";
		assertThat(this.log.messages(Level.WARN)).singleElement()
			.asString()
			.contains("4 attempts (" + causes, ConnectionDiagnosis.NODE_CLOSED.nextStep(), "Check statestore.hosts",
					ConnectionDiagnosis.BROKER_BUSY.nextStep())
			.doesNotContain("statestore.host ", "statestore.port");
		assertThat(connection.status().problem()).contains(causes);
		assertThat(closing.connections).hasValue(1);
		assertThat(silent.connections).hasValue(1);
		assertThat(busy.connects).hasSize(1);
	}

	@Test
	void continuesAfterDelayBetweenRounds() {
		List<UselessHost> hosts = Stream.generate(() -> add(UselessHost.closing())).limit(3).toList();
		MqttConnection connection = connection(options(hosts.stream().map(UselessHost::address).toList())
			.reconnectDelay(Duration.ofMillis(10), Duration.ofMillis(20))
			.startTimeout(Duration.ZERO));
		connection.start();
		await("two rounds").until(() -> hosts.stream().allMatch((host) -> host.connections.get() >= 2));
		connection.stop();
		List<Integer> counts = hosts.stream().map((host) -> host.connections.get()).toList();
		assertThat(counts).allSatisfy((count) -> assertThat(count).isBetween(counts.get(0) - 1, counts.get(0) + 1));
	}

	@ParameterizedTest
	@ValueSource(ints = { 0x85, 0x86, 0x97 })
	void doesNotTryRefusedLoginAtNextHost(int reasonCode) {
		brokers(3);
		this.brokers.forEach((broker) -> broker.connectReturnCode = MqttConnectReturnCode.valueOf((byte) reasonCode));
		MqttConnection connection = connection(
				options(this.brokers.stream().map(SeveralHostsTests::address).toList()).username("anna")
					.password("secret")
					.startTimeout(Duration.ZERO));
		connection.start();
		await("the warning").until(() -> this.log.contains("No connection to"));
		assertThat(connects()).isEqualTo(1);
		assertThat(this.log.messages(Level.WARN)).singleElement()
			.asString()
			.contains("(0x" + Integer.toHexString(reasonCode) + ")", "1 attempt (127.0.0.1:")
			.doesNotContain("secret");
	}

	@ParameterizedTest
	@ValueSource(ints = { 0x9C, 0x9D })
	void followsReferenceOfRefusal(int reasonCode) {
		brokers(6);
		FakeBroker leader = this.brokers.get(3);
		this.brokers.stream().filter((broker) -> broker != leader).forEach((broker) -> {
			broker.connectReturnCode = MqttConnectReturnCode.valueOf((byte) reasonCode);
			broker.connAckProperties.add(reference("elsewhere.example:1883 " + address(leader)));
		});
		MqttConnection connection = connect();
		assertThat(used(connection)).isSameAs(leader);
		assertThat(connects()).isLessThanOrEqualTo(2);
	}

	@Test
	void followsReferenceOfDisconnect() {
		brokers(6);
		MqttConnection connection = connect();
		FakeBroker first = used(connection);
		FakeBroker leader = this.brokers.get((this.brokers.indexOf(first) + 3) % 6);
		MqttProperties properties = new MqttProperties();
		properties.add(reference(address(leader)));
		first.send(MqttMessageBuilders.disconnect().reasonCode((byte) 0x9D).properties(properties).build());
		await("the leader").until(() -> uses(connection, leader));
		assertThat(connects()).isEqualTo(2);
	}

	@Test
	void remembersReferenceOfAcceptedConnection() {
		brokers(6);
		FakeBroker leader = this.brokers.get(5);
		this.brokers.forEach((broker) -> broker.connAckProperties.add(reference(address(leader))));
		MqttConnection connection = connect();
		FakeBroker first = used(connection);
		connection.reconnect("test");
		await("the leader").until(() -> uses(connection, leader) && (first != leader || leader.connects.size() == 2));
		assertThat(connects()).isEqualTo(2);
	}

	@Test
	void movesToLeaderBeforeItIsConnected() {
		brokers(6);
		FakeBroker leader = this.brokers.get(3);
		name("elsewhere.example:1883 " + address(leader));
		MqttConnection connection = connection(options(this.brokers.stream().map(SeveralHostsTests::address).toList()));
		List<Boolean> connected = new CopyOnWriteArrayList<>();
		connection.addListener(new ConnectionListener() {
			@Override
			public void connected(boolean reconnect) {
				connected.add(reconnect);
			}
		});
		connection.start();
		assertThat(used(connection)).isSameAs(leader);
		assertThat(connected).containsExactly(false);
		assertThat(connects()).isLessThanOrEqualTo(2);
		assertThat(this.brokers).filteredOn((broker) -> broker != leader)
			.allSatisfy((broker) -> assertThat(broker.subscriptions).isEmpty());
		await("the end of the first connection")
			.until(() -> this.brokers.stream().allMatch((broker) -> broker == leader || broker.clients.isEmpty()));
	}

	@Test
	void doesNotMoveInCirclesBetweenBrokersThatNameEachOther() {
		brokers(2);
		for (int i = 0; i < 2; i++) {
			this.brokers.get(i).connAckProperties
				.add(new UserProperty(UserProperties.LEADER, address(this.brokers.get(1 - i))));
		}
		connect();
		assertThat(connects()).isEqualTo(1 + HostRotation.MAX_MOVES);
	}

	@Test
	void returnsToAcceptingHostIfLeaderFails() {
		brokers(5);
		UselessHost leader = add(UselessHost.closing());
		name(leader.address());
		List<String> hosts = new ArrayList<>(this.brokers.stream().map(SeveralHostsTests::address).toList());
		hosts.add(leader.address());
		MqttConnection connection = connection(options(hosts));
		connection.start();
		assertThat(used(connection).connects).hasSizeLessThanOrEqualTo(2);
		assertThat(connects()).isLessThanOrEqualTo(2);
		assertThat(leader.connections.get()).isBetween(1, 2);
	}

	@Test
	void returnsToAcceptingHostIfLeaderDoesNotAnswer() {
		brokers(1);
		UselessHost leader = add(UselessHost.silent());
		name(leader.address());
		MqttConnection connection = connection(
				options(List.of(address(this.brokers.get(0)), leader.address())).connectTimeout(Duration.ofSeconds(1)));
		connection.start();
		assertThat(used(connection)).isSameAs(this.brokers.get(0));
		assertThat(connects()).isBetween(1, 2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "elsewhere.example:1883", "127.0.0.1:1", "*", "\uD83D\uDE00" })
	void doesNotMoveToOtherServers(String name) {
		brokers(2);
		name(name);
		connect();
		assertThat(connects()).isEqualTo(1);
	}

	@Test
	void singleHostDoesNotMove() {
		brokers(2);
		name(address(this.brokers.get(1)));
		MqttConnection connection = connection(options(List.of(address(this.brokers.get(0)))));
		connection.start();
		assertThat(used(connection)).isSameAs(this.brokers.get(0));
		assertThat(connects()).isEqualTo(1);
	}

	@Test
	void doesNotConnectToOtherServers() {
		brokers(2);
		FakeBroker elsewhere = new FakeBroker();
		this.resources.add(elsewhere);
		this.brokers.forEach((broker) -> {
			broker.connectReturnCode = MqttConnectReturnCode.valueOf((byte) 0x9D);
			broker.connAckProperties.add(reference(address(elsewhere)));
		});
		MqttConnection connection = connection(
				options(this.brokers.stream().map(SeveralHostsTests::address).toList()).startTimeout(Duration.ZERO));
		connection.start();
		await("the warning").until(() -> this.log.contains("No connection to"));
		assertThat(elsewhere.connects).isEmpty();
		assertThat(connects()).isEqualTo(2);
		assertThat(connection.status().problem()).contains(
				"the broker refers this client to another server: use another server (0x9d), '" + address(elsewhere),
				ConnectionDiagnosis.OTHER_NODE.nextStep());
	}

	@Test
	void reportsHostInUse() {
		brokers(2);
		ConnectionOptions.Builder options = options(this.brokers.stream().map(SeveralHostsTests::address).toList());
		MqttConnection connection = connection(options);
		String all = "mqtt://" + address(this.brokers.get(0)) + ',' + address(this.brokers.get(1));
		assertThat(connection.getUrl()).isEqualTo(all);
		assertThat(connection.status().broker()).isNull();
		connection.start();
		FakeBroker used = used(connection);
		assertThat(connection.getUrl()).isEqualTo("mqtt://" + address(used));
		assertThat(connection.address()).isEqualTo(new BrokerAddress("127.0.0.1", used.port()));
		assertThat(this.log.contains("Connected to mqtt://" + address(used) + " as client test")).isTrue();
		connection.stop();
		assertThat(connection.getUrl()).isEqualTo(all);
	}

	@Test
	void startsAgainWithLatestHost() {
		brokers(6);
		MqttConnection connection = connect();
		FakeBroker used = used(connection);
		for (int i = 0; i < 3; i++) {
			connection.stop();
			connection.start();
			assertThat(used(connection)).isSameAs(used);
		}
	}

	@Test
	void callsDoNotFailBeforeAllHostsHaveFailed() throws Exception {
		List<String> hosts = new ArrayList<>(
				Stream.generate(() -> add(UselessHost.closing()).address()).limit(3).toList());
		hosts.add(address(broker()));
		MqttConnection connection = connection(options(hosts).disconnectedBehavior(DisconnectedBehavior.FAIL));
		Calls calls = new Calls(connection);
		assertThat(calls.invoke(new Command.Get(Bytes.of("k")), Options.DEFAULT).get(20, TimeUnit.SECONDS).reply())
			.isEqualTo(new Reply.Ok());
	}

	@Test
	void callsDoNotFailWhileClusterMayElectLeader() throws Exception {
		brokers(2);
		Calls calls = refusedCalls(MqttConnectReturnCode.CONNECTION_REFUSED_USE_ANOTHER_SERVER);
		CompletableFuture<CommandInvoker.Response> call = calls.invoke(new Command.Get(Bytes.of("k")), Options.DEFAULT);
		await("a second attempt at each host").until(() -> connects() >= 4 || call.isDone());
		assertThat(call).isNotDone();
		this.brokers.forEach((broker) -> broker.connectReturnCode = MqttConnectReturnCode.CONNECTION_ACCEPTED);
		assertThat(call.get(20, TimeUnit.SECONDS).reply()).isEqualTo(new Reply.Ok());
	}

	@Test
	void callsFailIfEachHostWouldRefuseClient() {
		brokers(2);
		Calls calls = refusedCalls(MqttConnectReturnCode.CONNECTION_REFUSED_BAD_USERNAME_OR_PASSWORD);
		CompletableFuture<CommandInvoker.Response> call = calls.invoke(new Command.Get(Bytes.of("k")), Options.DEFAULT);
		assertThat(call).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(StateStoreNotSentException.class);
	}

	/** Returns calls that fail without a connection. */
	private Calls refusedCalls(MqttConnectReturnCode code) {
		this.brokers.forEach((broker) -> broker.connectReturnCode = code);
		List<String> hosts = this.brokers.stream().map(SeveralHostsTests::address).toList();
		return new Calls(connection(options(hosts).disconnectedBehavior(DisconnectedBehavior.FAIL)
			.reconnectDelay(Duration.ofMillis(10), Duration.ofMillis(10))));
	}

	@Test
	void doesNotReconnectInCirclesToBrokersThatDrop() {
		brokers(3);
		MqttConnection connection = connect();
		for (int i = 0; i < 3; i++) {
			FakeBroker used = used(connection);
			int before = connects();
			used.drop();
			int expected = before + 1;
			if (i < 2) {
				await("the next host").until(() -> connects() == expected && connection.isConnected());
			}
		}
		await("the loss").until(() -> !connection.isConnected());
		assertThat(connects()).isEqualTo(3);
	}

}
