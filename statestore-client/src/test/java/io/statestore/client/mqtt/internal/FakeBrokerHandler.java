package io.statestore.client.mqtt.internal;

import java.nio.charset.StandardCharsets;
import java.util.List;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageIdAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.MqttProperty;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttSubAckPayload;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttTopicSubscription;
import io.netty.handler.codec.mqtt.MqttUnsubscribeMessage;

/** Handles the packets of one client of a {@link FakeBroker}. */
final class FakeBrokerHandler extends SimpleChannelInboundHandler<MqttMessage> {

	private final FakeBroker broker;

	FakeBrokerHandler(FakeBroker broker) {
		this.broker = broker;
	}

	@Override
	public void channelActive(ChannelHandlerContext context) {
		this.broker.clients.add(context.channel());
		if (!this.broker.acceptConnections) {
			context.close();
		}
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		context.close();
	}

	@Override
	protected void channelRead0(ChannelHandlerContext context, MqttMessage message) {
		if (message.decoderResult().isFailure()) {
			context.close();
			return;
		}
		switch (message.fixedHeader().messageType()) {
			case CONNECT -> connected(context, (MqttConnectMessage) message);
			case SUBSCRIBE -> subscribed(context, (MqttSubscribeMessage) message);
			case UNSUBSCRIBE -> unsubscribed(context, (MqttUnsubscribeMessage) message);
			case PUBLISH -> published(context, (MqttPublishMessage) message);
			case PUBREL ->
				this.broker.releases.add(((MqttMessageIdVariableHeader) message.variableHeader()).messageId());
			case PINGREQ -> {
				if (this.broker.answerPings) {
					context.writeAndFlush(MqttMessage.PINGRESP);
				}
			}
			case DISCONNECT -> {
				this.broker.disconnects.incrementAndGet();
				context.close();
			}
			case AUTH -> authenticated(context, message);
			default -> {
			}
		}
	}

	private void authenticated(ChannelHandlerContext context, MqttMessage message) {
		var header = (MqttReasonCodeAndPropertiesVariableHeader) message.variableHeader();
		var method = (MqttProperty<?>) header.properties().getProperty(MqttProperties.AUTHENTICATION_METHOD);
		MqttFixedHeader fixed = message.fixedHeader();
		if (header.reasonCode() != 0x19 || fixed.isRetain() || fixed.isDup() || fixed.qosLevel().value() > 0) {
			// Malformed or out of place (MQTT 5 sections 3.15.1 and 4.12.1)
			context.close();
			return;
		}
		this.broker.authentications
			.add(new String((byte[]) header.properties().getProperty(MqttProperties.AUTHENTICATION_DATA).value(),
					StandardCharsets.UTF_8));
		int code = this.broker.authCode;
		if (code >= 0x80) {
			context.writeAndFlush(MqttMessageBuilders.disconnect().reasonCode((byte) code).build());
			context.close();
		}
		else if (code >= 0) {
			MqttProperties properties = new MqttProperties();
			properties.add(method);
			context.writeAndFlush(MqttMessageBuilders.auth().reasonCode((byte) code).properties(properties).build());
		}
	}

	private void connected(ChannelHandlerContext context, MqttConnectMessage message) {
		this.broker.connects.add(message);
		MqttProperties properties = new MqttProperties();
		this.broker.connAckProperties.listAll().forEach(properties::add);
		MqttProperty<?> method = message.variableHeader()
			.properties()
			.getProperty(MqttProperties.AUTHENTICATION_METHOD);
		if (method != null) {
			// MQTT 5 section 4.12
			properties.add(method);
		}
		context.writeAndFlush(MqttMessageBuilders.connAck()
			.returnCode(this.broker.connectReturnCode)
			.sessionPresent(this.broker.sessionPresent)
			.properties(properties)
			.build());
	}

	private void subscribed(ChannelHandlerContext context, MqttSubscribeMessage message) {
		List<MqttTopicSubscription> topics = message.payload().topicSubscriptions();
		topics.forEach((topic) -> this.broker.subscriptions.add(topic.topicFilter()));
		int[] codes = topics.stream()
			.mapToInt((topic) -> this.broker.onSubscribe.applyAsInt(topic.topicFilter()))
			.toArray();
		if (codes[0] < 0) {
			this.broker.withheldSubAcks.add(() -> subAck(context, message, 1));
			return;
		}
		subAck(context, message, codes);
	}

	private static void subAck(ChannelHandlerContext context, MqttSubscribeMessage message, int... codes) {
		context.writeAndFlush(new MqttSubAckMessage(
				new MqttFixedHeader(MqttMessageType.SUBACK, false, MqttQoS.AT_MOST_ONCE, false, 0),
				new MqttMessageIdAndPropertiesVariableHeader(message.variableHeader().messageId(),
						MqttProperties.NO_PROPERTIES),
				new MqttSubAckPayload(codes)));
	}

	private void unsubscribed(ChannelHandlerContext context, MqttUnsubscribeMessage message) {
		this.broker.unsubscriptions.addAll(message.payload().topics());
		context.writeAndFlush(MqttMessageBuilders.unsubAck()
			.packetId(message.variableHeader().messageId())
			.addReasonCodes(message.payload().topics().stream().map((topic) -> (short) 0).toArray(Short[]::new))
			.build());
	}

	private void published(ChannelHandlerContext context, MqttPublishMessage message) {
		if (message.fixedHeader().qosLevel() == MqttQoS.AT_MOST_ONCE) {
			return;
		}
		int remaining = message.fixedHeader().remainingLength();
		int header = 1 + ((remaining < 128) ? 1 : (remaining < 16_384) ? 2 : (remaining < 2_097_152) ? 3 : 4);
		this.broker.largestPacket.accumulateAndGet(header + remaining, Math::max);
		FakeBroker.Request request = this.broker.new Request(context.channel(), message);
		this.broker.requests.add(request);
		this.broker.onRequest.accept(this.broker, request);
	}

}
