package io.statestore.broker.mqtt;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttPubReplyMessageVariableHeader;
import io.netty.handler.codec.mqtt.MqttVersion;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.security.Permissions;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.session.MemorySessionLog;
import io.statestore.mqtt.FrameHeader;
import io.statestore.mqtt.Properties;
import io.statestore.mqtt.Publish;
import io.statestore.mqtt.VariableByteInteger;
import io.statestore.protocol.Topics;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MqttConnectionTests {

	private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());

	private final List<IncomingRequest> requests = new ArrayList<>();

	private boolean answering;

	private final ClientShare memory = MemoryBudget.unlimited().open();

	private final SessionServer server = new SessionServer(new MqttBrokerSettings("localhost", 0, 1_000),
			new MemorySessionLog(System::nanoTime), MemoryBudget.unlimited(), (error) -> {
				throw error;
			});

	private final MqttConnection connection = new MqttConnection(
			this.channel.pipeline().context(ChannelInboundHandlerAdapter.class), this.server, new Recorder(),
			this.memory, new AuditLog());

	@BeforeEach
	void connect() {
		MqttConnectMessage connect = MqttMessageBuilders.connect()
			.protocolVersion(MqttVersion.MQTT_5)
			.clientId("client")
			.build();
		this.connection.link().connecting("client", Packets.MQTT_5);
		this.connection.connect(connect,
				this.connection.access(new Client("client", ClientPrincipal.ANONYMOUS), Permissions.ALL),
				(connected) -> this.connection.link().accepted());
	}

	@AfterEach
	void close() {
		if (this.channel.isOpen()) {
			this.channel.flushOutbound();
		}
		this.connection.link().end();
		this.server.close();
		this.channel.finishAndReleaseAll();
	}

	@Test
	void holdsRequestsAboveMaximumCount() {
		int count = RequestQueue.MAX_UNANSWERED + 5_000;
		for (int i = 0; i < count; i++) {
			this.connection.requests().add(publish("r" + i));
		}
		assertThat(this.requests).hasSize(RequestQueue.MAX_UNANSWERED);
		assertThat(this.channel.config().isAutoRead()).isFalse();
		this.requests.get(0).acknowledgment().acknowledge(0);
		assertThat(this.requests).hasSize(RequestQueue.MAX_UNANSWERED + 1);
		this.answering = true;
		for (int i = 1; i <= RequestQueue.MAX_UNANSWERED; i++) {
			this.requests.get(i).acknowledgment().acknowledge(0);
		}
		assertThat(this.requests).hasSize(count);
		assertThat(this.requests.get(count - 1).payload().toUtf8()).isEqualTo("r" + (count - 1));
		assertThat(this.channel.config().isAutoRead()).isTrue();
	}

	@Test
	void holdsRequestsAboveMaximumSize() {
		this.connection.requests().add(publish("x".repeat((int) RequestQueue.MAX_UNANSWERED_BYTES)));
		this.connection.requests().add(publish("a"));
		assertThat(this.requests).hasSize(1);
		this.requests.get(0).acknowledgment().acknowledge(0);
		assertThat(this.requests).hasSize(2);
	}

	@Test
	void holdsRequestsAboveMaximumPropertySize() {
		ByteBuf properties = Unpooled.buffer();
		Properties.writeUser(properties, "p", "x".repeat(60_000));
		for (int i = 0; i < RequestQueue.MAX_UNANSWERED; i++) {
			this.connection.requests().add(publish("r", 1, properties.duplicate()));
		}
		assertThat(this.requests.size()).isEqualTo(RequestQueue.MAX_UNANSWERED_BYTES / 60_000 + 1);
		List.copyOf(this.requests).forEach((request) -> request.acknowledgment().acknowledge(0));
		assertThat(this.requests.size()).isGreaterThan(100);
	}

	@Test
	void acknowledgesInOrder() {
		this.connection.requests().add(publish("a", 1));
		this.connection.requests().add(publish("b", 2));
		this.connection.requests().add(publish("c", 3));
		this.connection.requests().refuseReservedTopic(publish("d", 4));
		this.connection.requests().add(publish("e", 5));
		this.requests.get(3).acknowledgment().acknowledge(0);
		this.requests.get(1).acknowledgment().acknowledge(0x83);
		assertThat(acknowledgments()).isEmpty();
		this.requests.get(0).acknowledgment().acknowledge(0);
		assertThat(acknowledgments()).containsExactly("1:0", "2:131");
		this.requests.get(2).acknowledgment().acknowledge(0);
		assertThat(acknowledgments()).containsExactly("3:0", "4:135", "5:0");
	}

	@Test
	void limitsAnsweredRequestsBehindUnansweredRequest() {
		this.connection.requests().add(publish("first"));
		this.answering = true;
		for (int i = 0; i < 2 * RequestQueue.MAX_UNANSWERED; i++) {
			this.connection.requests().add(publish("r"));
		}
		assertThat(this.requests).hasSize(RequestQueue.MAX_UNANSWERED);
		assertThat(this.channel.config().isAutoRead()).isFalse();
		this.requests.get(0).acknowledgment().acknowledge(0);
		assertThat(this.requests).hasSize(1 + 2 * RequestQueue.MAX_UNANSWERED);
		assertThat(acknowledgments()).hasSize(1 + 2 * RequestQueue.MAX_UNANSWERED);
		assertThat(this.channel.config().isAutoRead()).isTrue();
	}

	@Test
	void limitsRefusedMessagesBehindUnansweredRequest() {
		this.connection.requests().add(publish("first"));
		for (int i = 0; i < RequestQueue.MAX_UNANSWERED; i++) {
			assertThat(this.channel.config().isAutoRead()).isTrue();
			this.connection.requests().refuseReservedTopic(publish("r"));
		}
		assertThat(this.channel.config().isAutoRead()).isFalse();
		this.requests.get(0).acknowledgment().acknowledge(0);
		assertThat(acknowledgments()).hasSize(1 + RequestQueue.MAX_UNANSWERED);
		this.connection.writabilityChanged();
		assertThat(this.channel.config().isAutoRead()).isTrue();
	}

	/** Returns the packet identifiers and reason codes that were sent. */
	private List<String> acknowledgments() {
		this.connection.link().flush();
		List<String> result = new ArrayList<>();
		for (MqttMessage sent : NettyPackets.flushed(this.channel)) {
			if (sent.variableHeader() instanceof MqttPubReplyMessageVariableHeader header) {
				result.add(header.messageId() + ":" + (header.reasonCode() & 0xFF));
			}
		}
		return result;
	}

	@Test
	void closesConnectionThatDoesNotReadDisconnect() {
		this.channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
			@Override
			public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
				ReferenceCountUtil.release(message);
			}
		});
		this.channel.freezeTime();
		this.connection.link().disconnect(0x97, "too slow");
		assertThat(this.channel.isOpen()).isTrue();
		this.channel.advanceTimeBy(ClientLink.DISCONNECT_TIMEOUT_SECONDS, TimeUnit.SECONDS);
		this.channel.runScheduledPendingTasks();
		assertThat(this.channel.isOpen()).isFalse();
	}

	@Test
	void keepAliveIsSuspendedWhileServerDoesNotRead() {
		this.channel.freezeTime();
		this.channel.pipeline().addFirst(new KeepAlive(10, this.connection::keepAliveExpired));
		setWritable(false);
		assertThat(this.channel.config().isAutoRead()).isFalse();
		advance(16);
		assertThat(this.connection.link().isEnded()).isFalse();
		advance(10);
		setWritable(true);
		advance(14);
		assertThat(this.connection.link().isEnded()).isFalse();
		advance(2);
		assertThat(this.connection.link().isEnded()).isTrue();
	}

	private void setWritable(boolean writable) {
		this.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, writable);
		this.connection.writabilityChanged();
	}

	private void advance(int seconds) {
		this.channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
		this.channel.runScheduledPendingTasks();
	}

	private static Publish publish(String payload) {
		return publish(payload, 1);
	}

	private static Publish publish(String payload, int packetId) {
		return publish(payload, packetId, Unpooled.EMPTY_BUFFER);
	}

	private static Publish publish(String payload, int packetId, ByteBuf properties) {
		ByteBuf packet = Unpooled.buffer();
		Properties.write(packet, Topics.REQUEST);
		packet.writeShort(packetId);
		VariableByteInteger.write(packet, properties.readableBytes());
		packet.writeBytes(properties).writeBytes(payload.getBytes(StandardCharsets.UTF_8));
		return new Publish(new FrameHeader(0x32, 5, packet.readableBytes()), packet, true, 100_000);
	}

	private final class Recorder extends EchoServer {

		@Override
		public void request(IncomingRequest request) {
			MqttConnectionTests.this.requests.add(request);
			if (MqttConnectionTests.this.answering) {
				request.acknowledgment().acknowledge(0);
			}
		}

	}

}
