package io.statestore.broker.mqtt;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.protocol.Topics;
import io.statestore.test.PacketType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class ConnectGuardTests extends MqttBrokerTest {

	private static final int MAX_CONNECT_SIZE = 64 * 1024;

	private final ClientShare other;

	ConnectGuardTests() {
		this.budget = new MemoryBudget(10_000_000, 10_000_000);
		this.other = this.budget.open();
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
			"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000000\r\n\r\n",
			"GET /mqtt HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
					+ "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
					+ "Sec-WebSocket-Protocol: mqtt\r\n\r\n",
			"PROXY TCP4 127.0.0.1 127.0.0.1 1 1\r\n", "x", "garbage, and more of it" })
	void closesConnectionForOtherProtocol(String text) throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.sendBytes(text.getBytes(StandardCharsets.UTF_8));
			client.assertClosed();
		}
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "1067617262616765", "1080808001", "10FFFFFFFFFFFFFF", "100C00044D585454", "100C01044D515454",
					// A remaining length of two mebibytes or more.
					"108080800100044D" })
	void closesConnectionThatOnlyStartsLikeConnect(String hex) throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.sendBytes(HexFormat.of().parseHex(hex + "00".repeat(8)));
			client.assertClosed();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "1000", "10020004", "100400044D51", "10FFFFFFFF" })
	void closesConnectionAfterTooShortConnect(String hex) {
		EmbeddedChannel channel = new EmbeddedChannel(new ConnectGuard(MAX_CONNECT_SIZE, this.budget.open(), () -> {
		}));
		channel.writeInbound(Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex)));
		assertThat(channel.isOpen()).isFalse();
		assertThat(channel.inboundMessages()).isEmpty();
	}

	@Test
	void closesConnectionThatPublishesFirst() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.send(request(client, "echo", "answers/g1"), RawConnect.of("g1"));
			client.assertClosed();
		}
		assertThat(this.server.requests).isEmpty();
		assertThat(this.server.events).isEmpty();
	}

	@Test
	void acceptsConnectInPieces() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			byte[] connect = client.encode(RawConnect.of("g2"), client.publish(Topics.REQUEST, 1, "refuse 0x80"));
			EmbeddedChannel channel = new EmbeddedChannel(new ConnectGuard(MAX_CONNECT_SIZE, this.budget.open(), () -> {
			}));
			for (int i = 0; i < connect.length; i++) {
				channel.writeInbound(Unpooled.wrappedBuffer(connect, i, 1));
			}
			ByteBuf passed = Unpooled.buffer();
			channel.inboundMessages().forEach((part) -> passed.writeBytes((ByteBuf) part));
			assertThat(passed).isEqualTo(Unpooled.wrappedBuffer(connect));
			assertThat(channel.pipeline().get(ConnectGuard.class)).isNull();
		}
	}

	/** Adds the handlers of a client. */
	private void open(EmbeddedChannel channel) {
		ClientShare memory = this.budget.open();
		channel.pipeline().addLast(new ConnectGuard(MAX_CONNECT_SIZE, memory, () -> {
		}));
		this.broker.open(channel, memory);
	}

	@Test
	void closesSilentConnectionAfterTenSeconds() {
		for (String sent : List.of("", "10")) {
			EmbeddedChannel channel = new EmbeddedChannel();
			channel.freezeTime();
			open(channel);
			channel.writeInbound(Unpooled.wrappedBuffer(HexFormat.of().parseHex(sent)));
			channel.advanceTimeBy(9_999, TimeUnit.MILLISECONDS);
			channel.runScheduledPendingTasks();
			assertThat(channel.isOpen()).isTrue();
			channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
			channel.runScheduledPendingTasks();
			assertThat(channel.isOpen()).isFalse();
		}
	}

	@Test
	void refusesClientWhenBudgetIsExhausted() throws Exception {
		try (RawMqttConnection last = client("g4")) {
			this.other.reserve(MemoryUse.OUTGOING, this.budget.maxBytes() - this.budget.used() - 1_000);
			try (RawMqttConnection refused = new RawMqttConnection(this.broker.port())) {
				refused.send(RawConnect.of("g5"));
				assertThat(refused.receive()).isInstanceOfSatisfying(RawControl.class,
						(connack) -> assertThat(connack.reason()).isEqualTo(0x97));
				refused.assertClosed();
			}
			this.other.close();
			try (RawMqttConnection next = client("g5")) {
				assertThat(this.budget.used(MemoryUse.CONNECTION)).isPositive();
			}
			last.send(request(last, "refuse 0x80", "answers/g4"));
			assertThat(last.receiveReason(PacketType.PUBACK)).isEqualTo(0x80);
		}
	}

	@Test
	void acceptsClientWhileManyConnectsAreIncomplete() throws Exception {
		List<RawMqttConnection> slow = new ArrayList<>();
		try {
			for (int i = 0; i < 200; i++) {
				RawMqttConnection client = new RawMqttConnection(this.broker.port());
				slow.add(client);
				// A remaining length of 60,000, and none of the client id's bytes.
				client.sendBytes(HexFormat.of().parseHex("10E0D40300044D5154540502003C"));
			}
			await("the refusal").until(() -> this.budget.refused(MemoryUse.CONNECTING) > 0);
			assertThat(this.budget.used()).isLessThanOrEqualTo(this.budget.maxBytes() / 16);
			try (RawMqttConnection client = client("g7")) {
				client.ping();
				assertThat(this.budget.used(MemoryUse.CONNECTION)).isGreaterThan(ClientAdmission.CONNECTION_COST);
			}
		}
		finally {
			for (RawMqttConnection client : slow) {
				client.close();
			}
		}
		await("released memory").until(() -> this.budget.used() == 0);
	}

	@Test
	void releasesMemoryOfEndedConnections() throws Exception {
		for (int i = 0; i < 10; i++) {
			try (RawMqttConnection client = client("g6")) {
				assertThat(this.budget.used()).isPositive();
			}
		}
		assertThat(this.server.nextEvents(20)).endsWith("-g6");
		await("released memory").until(() -> this.budget.used() == 0);
	}

	@Test
	void keepsAcceptedConnection() {
		EmbeddedChannel channel = new EmbeddedChannel();
		channel.freezeTime();
		open(channel);
		channel.writeInbound(Unpooled.wrappedBuffer(HexFormat.of().parseHex("100D00044D5154540502003C000000")));
		channel.advanceTimeBy(11, TimeUnit.SECONDS);
		channel.runScheduledPendingTasks();
		assertThat(channel.isOpen()).isTrue();
	}

	@Test
	void endsIncompleteConnectAfterTenSeconds() {
		EmbeddedChannel channel = new EmbeddedChannel();
		channel.freezeTime();
		open(channel);
		channel.writeInbound(Unpooled.wrappedBuffer(HexFormat.of().parseHex("100D00044D5154540502003C00")));
		for (int second = 0; second < 10; second++) {
			assertThat(channel.isOpen()).isTrue();
			channel.advanceTimeBy(1, TimeUnit.SECONDS);
			channel.runScheduledPendingTasks();
		}
		assertThat(channel.isOpen()).isFalse();
		assertThat(channel.inboundMessages()).isEmpty();
	}

	@Test
	void refusesTooLargeConnectBeforeReadingIt() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.encode(RawConnect.of("g3"));
			// A remaining length of 65,536 with none of its properties sent yet.
			client.sendBytes(HexFormat.of().parseHex("1080800400044D5154540502003C"));
			assertThat(client.receive()).isInstanceOfSatisfying(RawControl.class,
					(connack) -> assertThat(connack.reason()).isEqualTo(0x95));
			client.assertClosed();
		}
	}

}
