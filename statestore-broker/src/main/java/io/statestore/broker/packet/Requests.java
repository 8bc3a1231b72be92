package io.statestore.broker.packet;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.MqttProperty;
import io.netty.handler.codec.mqtt.MqttProperties.StringPair;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.IncomingRequest.Acknowledgment;
import io.statestore.broker.server.UserProperty;
import io.statestore.protocol.Bytes;

/**
 * Conversion of PUBLISH packets to requests.
 * <p>
 * Internal: not part of the API.
 */
public final class Requests {

	/** Verbs of requests that visit many keys. */
	private static final List<ByteBuf> SCANS = List.of(verb("$4\r\nSCAN\r\n"), verb("$5\r\nLOCKS\r\n"));

	/** Position of the verb, behind the number of elements. */
	private static final int VERB = 4;

	private Requests() {
	}

	/**
	 * Converts a PUBLISH to a request. Copies its content, and keeps no reference to it.
	 * @param packet the PUBLISH
	 * @param connection the connection on which it has arrived
	 * @param acknowledgment acknowledges the request
	 * @return the request
	 */
	public static IncomingRequest of(MqttPublishMessage packet, ClientConnection connection,
			Acknowledgment acknowledgment) {
		MqttProperties properties = packet.variableHeader().properties();
		byte[] correlationData = Packets.property(properties, MqttProperties.CORRELATION_DATA, byte[].class);
		Integer expiry = Packets.property(properties, MqttProperties.PUBLICATION_EXPIRY_INTERVAL, Integer.class);
		return new IncomingRequest(connection, packet.fixedHeader().qosLevel().value(),
				Packets.property(properties, MqttProperties.RESPONSE_TOPIC, String.class),
				(correlationData != null) ? Bytes.wrap(correlationData) : null,
				(expiry != null) ? Duration.ofSeconds(Integer.toUnsignedLong(expiry)) : null,
				userProperties(properties), Bytes.wrap(ByteBufUtil.getBytes(packet.payload())), acknowledgment);
	}

	private static ByteBuf verb(String text) {
		return Unpooled.unreleasableBuffer(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
	}

	/**
	 * Returns whether a request visits many keys: a SCAN, or a request for locks. Both
	 * have fewer than ten elements, and each has exactly one encoding.
	 * @param packet the PUBLISH, which is neither read nor released
	 * @return whether its verb is one of these
	 */
	public static boolean isScan(MqttPublishMessage packet) {
		ByteBuf payload = packet.payload();
		for (ByteBuf verb : SCANS) {
			if (payload.readableBytes() >= VERB + verb.readableBytes() && ByteBufUtil.equals(payload,
					payload.readerIndex() + VERB, verb, verb.readerIndex(), verb.readableBytes())) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Returns the user properties in the order of the packet.
	 * @param properties the properties of a packet
	 * @return an unmodifiable list
	 */
	public static List<UserProperty> userProperties(MqttProperties properties) {
		List<UserProperty> result = new ArrayList<>();
		for (MqttProperty<?> property : properties.getProperties(MqttProperties.USER_PROPERTY)) {
			if (property.value() instanceof StringPair pair) {
				result.add(new UserProperty(pair.key, pair.value));
			}
		}
		return Collections.unmodifiableList(result);
	}

}
