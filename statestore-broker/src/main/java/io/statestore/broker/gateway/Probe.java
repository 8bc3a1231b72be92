package io.statestore.broker.gateway;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.BinaryProperty;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
import io.netty.handler.codec.mqtt.MqttProperties.UserProperties;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.mqtt.Accepted;
import io.statestore.mqtt.ClientPackets;
import io.statestore.mqtt.Publish;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.Topics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks whether another state store serves a broker's clients. Sends a GET as an
 * ordinary client and waits for a reply.
 */
final class Probe extends BrokerTask<Boolean> {

	private static final Logger logger = LoggerFactory.getLogger(Probe.class);

	/**
	 * How long to wait for a reply. A running state store replies within milliseconds.
	 */
	private static final long ANSWER_MILLIS = 1_000;

	private static final long BROKER_MILLIS = 10_000;

	private final EventLoop loop;

	private Probe(EventLoop loop, GatewaySettings settings) {
		super(loop, settings, "probe");
		this.loop = loop;
	}

	/**
	 * Starts the check. Must be called on the event loop, where the result completes.
	 * @return whether another store replies; fails with a {@link BrokerException} if the
	 * broker does not respond
	 */
	static CompletableFuture<Boolean> run(EventLoop loop, GatewaySettings settings) {
		Probe probe = new Probe(loop, settings);
		loop.schedule(() -> probe.fail(new BrokerException("the broker does not answer")), BROKER_MILLIS,
				TimeUnit.MILLISECONDS);
		return probe.start(settings);
	}

	@Override
	public void accepted(Accepted accepted) {
		send((connection) -> connection.write(ClientPackets.subscribe(1, Topics.response(clientId()))));
	}

	@Override
	public void subscribed(int packetId, List<Integer> reasonCodes) {
		if (ReasonCodes.isFailure(reasonCodes.get(0))) {
			cannotTell("is not permitted to subscribe to '" + Topics.response(clientId()) + "'");
		}
		else {
			send((connection) -> connection.write(get()));
		}
	}

	private MqttMessage get() {
		byte[] payload = Commands.encode(new Command.Get(Bytes.of(clientId())));
		MqttProperties properties = new MqttProperties();
		properties.add(ClientPackets.property(MqttProperties.PUBLICATION_EXPIRY_INTERVAL, 1));
		properties.add(new StringProperty(MqttProperties.RESPONSE_TOPIC, Topics.response(clientId())));
		properties.add(new BinaryProperty(MqttProperties.CORRELATION_DATA,
				UUID.randomUUID().toString().substring(0, 16).getBytes(StandardCharsets.US_ASCII)));
		UserProperties user = new UserProperties();
		user.add(io.statestore.protocol.UserProperties.SOURCE_ID, clientId());
		properties.add(user);
		return MqttMessageBuilders.publish()
			.topicName(Topics.REQUEST)
			.qos(MqttQoS.AT_LEAST_ONCE)
			.messageId(2)
			.properties(properties)
			.payload(Unpooled.wrappedBuffer(payload))
			.build();
	}

	@Override
	public void acknowledged(int packetId, int reasonCode) {
		if (reasonCode == ReasonCodes.NO_MATCHING_SUBSCRIBERS) {
			done(false);
		}
		else if (ReasonCodes.isFailure(reasonCode)) {
			cannotTell("is not permitted to publish to '" + Topics.REQUEST + "'");
		}
		else {
			// There is a subscription, but it may belong to a disconnected gateway's
			// session.
			this.loop.schedule(() -> done(false), ANSWER_MILLIS, TimeUnit.MILLISECONDS);
		}
	}

	@Override
	public void published(Publish publish) {
		// A state store's reply never has too many properties.
		if (!publish.isSkipped()) {
			done(true);
		}
	}

	private void cannotTell(String why) {
		logger.warn("Cannot check whether another state store serves this broker, because the gateway {}. Check the "
				+ "broker's access control list, and that no other state store is running", why);
		done(false);
	}

}
