package io.statestore.broker.mqtt;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.BinaryProperty;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
import io.netty.handler.codec.mqtt.MqttPubReplyMessageVariableHeader;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttUnsubAckMessage;
import io.netty.handler.codec.mqtt.MqttVersion;
import io.statestore.broker.packet.Packets;
import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * MQTT client that only sends the packets of a test, and returns received packets one by
 * one. It acknowledges no messages.
 */
public final class RawClient implements AutoCloseable {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final int READ_SIZE = 64 * 1024;

	private final Socket socket;

	private final InputStream in;

	/** Encoder and decoder in one channel, in which they share the version of MQTT. */
	private final EmbeddedChannel codec = new EmbeddedChannel(MqttEncoder.INSTANCE, new MqttDecoder(300_000_000));

	private final byte[] buffer = new byte[READ_SIZE];

	private int lastPacketId;

	public RawClient(int port) throws IOException {
		this.socket = new Socket("localhost", port);
		this.socket.setTcpNoDelay(true);
		this.in = this.socket.getInputStream();
	}

	public static RawClient connected(int port, String clientId) throws IOException {
		RawClient client = new RawClient(port);
		client.connect(clientId);
		return client;
	}

	public MqttConnAckMessage connect(String clientId, MqttProperties.MqttProperty<?>... properties)
			throws IOException {
		return connect(connectBuilder(clientId, properties).build());
	}

	public static MqttMessageBuilders.ConnectBuilder connectBuilder(String clientId,
			MqttProperties.MqttProperty<?>... properties) {
		return MqttMessageBuilders.connect()
			.clientId(clientId)
			.protocolVersion(MqttVersion.MQTT_5)
			.cleanSession(true)
			.keepAlive(60)
			.properties(properties(properties));
	}

	public MqttConnAckMessage connect(MqttConnectMessage connect) throws IOException {
		send(connect);
		return receive(MqttConnAckMessage.class);
	}

	public static MqttProperties properties(MqttProperties.MqttProperty<?>... properties) {
		MqttProperties result = new MqttProperties();
		Arrays.asList(properties).forEach(result::add);
		return result;
	}

	public static MqttProperties requestProperties(String responseTopic, String correlationData) {
		return properties(new StringProperty(MqttPropertyType.RESPONSE_TOPIC.value(), responseTopic),
				new BinaryProperty(MqttPropertyType.CORRELATION_DATA.value(),
						correlationData.getBytes(StandardCharsets.UTF_8)));
	}

	public static IntegerProperty integer(MqttPropertyType type, int value) {
		return new IntegerProperty(type.value(), value);
	}

	public void send(MqttMessage... packets) throws IOException {
		sendBytes(encode(packets));
	}

	public byte[] encode(MqttMessage... packets) {
		for (MqttMessage packet : packets) {
			this.codec.writeOutbound(packet);
		}
		ByteBuf bytes = Unpooled.buffer();
		ByteBuf part = this.codec.readOutbound();
		while (part != null) {
			bytes.writeBytes(part);
			part = this.codec.readOutbound();
		}
		return ByteBufUtil.getBytes(bytes);
	}

	public void sendBytes(byte... bytes) throws IOException {
		this.socket.getOutputStream().write(bytes);
	}

	/** Returns ascending identifiers from 1 to 65,535, and starts again. */
	public int nextPacketId() {
		this.lastPacketId = this.lastPacketId % 0xFFFF + 1;
		return this.lastPacketId;
	}

	public MqttPublishMessage publish(String topic, int qos, String payload,
			MqttProperties.MqttProperty<?>... properties) {
		return publish(topic, qos, payload, properties(properties));
	}

	public MqttPublishMessage publish(String topic, int qos, String payload, MqttProperties properties) {
		return MqttMessageBuilders.publish()
			.topicName(topic)
			.qos(MqttQoS.valueOf(qos))
			.messageId((qos > 0) ? nextPacketId() : 0)
			.properties(properties)
			.payload(Unpooled.copiedBuffer(payload, StandardCharsets.UTF_8))
			.build();
	}

	public MqttPublishMessage request(String payload, String responseTopic) {
		return publish(Topics.REQUEST, 1, payload, requestProperties(responseTopic, "c-" + payload));
	}

	public MqttMessage subscribe(String filter, int qos, MqttProperties.MqttProperty<?>... properties) {
		return MqttMessageBuilders.subscribe()
			.messageId(nextPacketId())
			.addSubscription(MqttQoS.valueOf(qos), filter)
			.properties(properties(properties))
			.build();
	}

	public void subscribed(String filter, int qos, MqttProperties.MqttProperty<?>... properties) throws IOException {
		send(subscribe(filter, qos, properties));
		assertThat(receive(MqttSubAckMessage.class).payload().reasonCodes()).containsExactly(qos);
	}

	public void unsubscribed(String filter) throws IOException {
		send(MqttMessageBuilders.unsubscribe().messageId(nextPacketId()).addTopicFilter(filter).build());
		receive(MqttUnsubAckMessage.class);
	}

	public void acknowledge(MqttPublishMessage publish) throws IOException {
		send(reply(MqttMessageType.PUBACK, publish.variableHeader().packetId()));
	}

	public MqttMessage reply(MqttMessageType type, int packetId) {
		return new MqttMessage(
				new MqttFixedHeader(type, false,
						(type == MqttMessageType.PUBREL) ? MqttQoS.AT_LEAST_ONCE : MqttQoS.AT_MOST_ONCE, false, 0),
				new MqttPubReplyMessageVariableHeader(packetId, (byte) 0, MqttProperties.NO_PROPERTIES));
	}

	/** Waits for a round trip, after which all earlier packets have arrived. */
	public void ping() throws IOException {
		send(Packets.pingRequest());
		assertThat(receive().fixedHeader().messageType()).isEqualTo(MqttMessageType.PINGRESP);
	}

	public MqttPublishMessage receivePublish() throws IOException {
		return receive(MqttPublishMessage.class);
	}

	/** Decodes a PUBLISH of MQTT 5, and releases the bytes. */
	public static MqttPublishMessage decoded(ByteBuf packet) {
		EmbeddedChannel codec = new EmbeddedChannel(MqttEncoder.INSTANCE, new MqttDecoder(300_000_000));
		codec.writeOutbound(connectBuilder("c").build());
		codec.writeInbound(packet);
		MqttPublishMessage publish = codec.readInbound();
		codec.releaseOutbound();
		return publish;
	}

	public static String text(MqttPublishMessage publish) {
		return publish.payload().toString(StandardCharsets.UTF_8);
	}

	public int receiveReason(MqttMessageType type) throws IOException {
		MqttMessage message = receive();
		assertThat(message.fixedHeader().messageType()).isEqualTo(type);
		return reason(message);
	}

	public static int reason(MqttMessage message) {
		Object header = message.variableHeader();
		if (header instanceof MqttPubReplyMessageVariableHeader reply) {
			return reply.reasonCode() & 0xFF;
		}
		if (header instanceof MqttReasonCodeAndPropertiesVariableHeader disconnect) {
			return disconnect.reasonCode() & 0xFF;
		}
		assertThat(header).isInstanceOf(MqttMessageIdVariableHeader.class);
		return 0;
	}

	public <T extends MqttMessage> T receive(Class<T> type) throws IOException {
		MqttMessage message = receive();
		assertThat(message).isInstanceOf(type);
		return type.cast(message);
	}

	public MqttMessage receive() throws IOException {
		MqttMessage message = receive(TIMEOUT);
		if (message == null) {
			throw new AssertionError("The broker has closed the connection or sent nothing within " + TIMEOUT);
		}
		return message;
	}

	/** Asserts that the connection ends, without another packet. */
	public void assertClosed() throws IOException {
		this.socket.setSoTimeout((int) TIMEOUT.toMillis());
		assertThat((Object) this.codec.readInbound()).isNull();
		int read;
		try {
			read = this.in.read();
		}
		catch (SocketTimeoutException ex) {
			throw new AssertionError("The connection is still open", ex);
		}
		catch (IOException ex) {
			read = -1;
		}
		assertThat(read).isEqualTo(-1);
	}

	private @Nullable MqttMessage receive(Duration timeout) throws IOException {
		this.socket.setSoTimeout((int) timeout.toMillis());

		MqttMessage message = this.codec.readInbound();
		while (message == null) {
			int read;
			try {
				read = this.in.read(this.buffer);
			}
			catch (SocketTimeoutException ex) {
				return null;
			}
			if (read < 0) {
				return null;
			}
			this.codec.writeInbound(Unpooled.copiedBuffer(this.buffer, 0, read));
			message = this.codec.readInbound();
		}
		return message;
	}

	/** Resets the connection, so that the broker notices at once. */
	public void reset() throws IOException {
		this.socket.setSoLinger(true, 0);
		this.socket.close();
	}

	/** Closes the connection without a DISCONNECT. */
	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
