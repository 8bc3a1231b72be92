package io.statestore.broker.mqtt;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;

import ch.qos.logback.classic.Level;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import io.statestore.test.CapturedLog;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Limits on connections from one address. */
@Isolated("captures the log")
class ConnectionCountsTests extends MqttBrokerTest {

	private static final int MAX = 20;

	private static final int MAX_UNFINISHED = 16;

	private final List<RawMqttConnection> clients = new ArrayList<>();

	@Override
	protected MqttBrokerSettings settings() {
		return super.settings().withNetwork(NetworkSettings.DEFAULT.withMaxConnectionsPerAddress(MAX));
	}

	@AfterEach
	void closeClients() throws IOException {
		for (RawMqttConnection client : this.clients) {
			client.close();
		}
	}

	private RawMqttConnection from(String address) throws IOException {
		Socket socket = new Socket();
		socket.bind(new InetSocketAddress(address, 0));
		RawMqttConnection client = new RawMqttConnection(socket, this.broker.port());
		this.clients.add(client);
		return client;
	}

	@Test
	void refusesConnectionsAboveAddressLimit() throws Exception {
		for (int i = 0; i < MAX; i++) {
			assertThat(from("127.0.0.1").connect("a" + i).reason()).isZero();
		}
		from("127.0.0.1").assertClosed();
		assertThat(this.broker.connections().refused()).isOne();
		assertThat(from("127.0.0.2").connect("b").reason()).isZero();
		assertThat(this.broker.connections().open()).isEqualTo(MAX + 1);
		this.clients.remove(0).close();
		await("the end").until(() -> this.broker.connections().open() == MAX);
		assertThat(from("127.0.0.1").connect("c").reason()).isZero();
		this.clients.get(1).ping();
	}

	@Test
	void newConnectionReplacesOldestWithoutConnectPacket() throws Exception {
		RawMqttConnection other = from("127.0.0.2");
		List<RawMqttConnection> silent = new ArrayList<>();
		for (int i = 0; i < MAX_UNFINISHED; i++) {
			silent.add(from("127.0.0.1"));
		}
		await("connections").until(() -> this.broker.connections().open() == MAX_UNFINISHED + 1);
		assertThat(from("127.0.0.1").connect("valid").reason()).isZero();
		silent.get(0).assertClosed();
		assertThat(this.broker.connections().refused()).isOne();
		for (RawMqttConnection remaining : silent.subList(1, 4)) {
			assertThat(remaining.connect("late-" + silent.indexOf(remaining)).reason()).isZero();
		}
		assertThat(other.connect("other").reason()).isZero();
	}

	@Test
	void countsNothingAfterAllConnectionsEnded() throws Exception {
		try (CapturedLog log = new CapturedLog("io.statestore.broker.mqtt", Level.ERROR)) {
			for (int i = 0; i < 100; i++) {
				from("127.0.0.1").close();
				from("127.0.0.1").reset();
			}
			await("the end").until(() -> this.broker.connections().open() == 0);
			assertThat(log.messages()).isEmpty();
		}
		// The broker may still accept connections that have ended.
		await("room").untilAsserted(() -> assertThat(from("127.0.0.1").connect("next").reason()).isZero());
		await("their end").until(() -> this.broker.connections().open() == 1);
	}

	@ParameterizedTest
	@CsvSource({ "2001:db8::%d, 1", "2001:db8:0:%d::1, 20", "10.0.0.%d, 20" })
	void countsAddressesFromOneMachineTogether(String address, int expected) throws Exception {
		ConnectionCounts counts = new ConnectionCounts(NetworkSettings.DEFAULT.withMaxConnectionsPerAddress(1));
		List<Channel> channels = new ArrayList<>();
		for (int i = 1; i <= 20; i++) {
			Channel channel = new RemoteChannel(address.formatted(i));
			if (counts.add(channel) != null) {
				channels.add(channel);
			}
		}
		assertThat(channels).hasSize(expected);
		assertThat(counts.open()).isEqualTo(expected);
		channels.forEach(Channel::close);
		assertThat(counts.open()).isZero();
		assertThat(counts.add(new RemoteChannel(address.formatted(1)))).isNotNull();
	}

	/** A channel with any address. */
	private static final class RemoteChannel extends EmbeddedChannel {

		private final InetSocketAddress address;

		RemoteChannel(String address) throws IOException {
			this.address = new InetSocketAddress(InetAddress.getByName(address), 1883);
		}

		@Override
		public SocketAddress remoteAddress() {
			return this.address;
		}

	}

}
