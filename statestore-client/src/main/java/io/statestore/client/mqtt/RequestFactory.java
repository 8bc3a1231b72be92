package io.statestore.client.mqtt;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.StateStoreInvalidRequestException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.Topics;
import io.statestore.protocol.UserProperties;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.eclipse.paho.mqttv5.common.packet.MqttPublish;
import org.eclipse.paho.mqttv5.common.packet.UserProperty;
import org.jspecify.annotations.Nullable;

/** Makes requests (protocol section 1), and refuses those that MQTT cannot carry. */
final class RequestFactory {

	/** The longest remaining length of an MQTT packet. */
	private static final int MAX_PACKET_LENGTH = 268_435_455;

	/** More than topic, properties and RESP headers take beside key and value. */
	private static final int MAX_OVERHEAD = 8 * 1024;

	/** Longer than any clock with a sensible node id, and far from MQTT's limit. */
	private static final int MAX_TOKEN_LENGTH = 1024;

	private static final int CORRELATION_LENGTH = 16;

	private final ConnectionOptions options;

	private final HybridLogicalClock clock;

	private final String responseTopic;

	private final UserProperty protocolVersion = new UserProperty(UserProperties.PROTOCOL_VERSION,
			UserProperties.PROTOCOL_VERSION_1);

	private final UserProperty sourceId;

	private final UserProperty persistence = new UserProperty(UserProperties.PERSISTENCE, "true");

	/** Tells this process from another, later one with the same client id. */
	private final long correlationPrefix = new SecureRandom().nextLong();

	private final AtomicLong correlationCounter = new AtomicLong();

	RequestFactory(ConnectionOptions options, HybridLogicalClock clock) {
		this.options = options;
		this.clock = clock;
		this.responseTopic = Topics.response(options.clientId());
		this.sourceId = new UserProperty(UserProperties.SOURCE_ID, options.clientId());
	}

	static String randomNodeId() {
		byte[] random = new byte[16];
		new SecureRandom().nextBytes(random);
		return HexFormat.of().formatHex(random);
	}

	/** Never the same twice. */
	Bytes nextCorrelationData() {
		byte[] data = new byte[CORRELATION_LENGTH];
		ByteBuffer.wrap(data).putLong(this.correlationPrefix).putLong(this.correlationCounter.incrementAndGet());
		return Bytes.wrap(data);
	}

	/** Returns why this can never be sent, {@code null} if it can. */
	@Nullable StateStoreInvalidRequestException check(Command command, Options options) {
		long length = command.length();
		if (length > MAX_PACKET_LENGTH - MAX_OVERHEAD) {
			return new StateStoreInvalidRequestException("Key and value have " + length
					+ " bytes together, but an MQTT packet holds at most " + (MAX_PACKET_LENGTH - MAX_OVERHEAD));
		}
		if (command instanceof Command.KeyNotify observation
				&& !Topics.isObservable(this.options.clientId(), observation.key())) {
			return new StateStoreInvalidRequestException(
					"A key of " + observation.key().length() + " bytes cannot be observed: at most "
							+ Topics.MAX_OBSERVABLE_KEY_LENGTH + " fit into an MQTT topic, less with a long client id");
		}
		if (options.fencingToken() != null && !isText(options.fencingToken().toString())) {
			return new StateStoreInvalidRequestException(
					"The fencing token is not one that a state store has issued. Use the token of a tenure");
		}
		return null;
	}

	private static boolean isText(String text) {
		return text.length() <= MAX_TOKEN_LENGTH && text.chars().allMatch((c) -> c >= ' ' && c < 0x7F);
	}

	/**
	 * A message ready to publish.
	 * @param remaining time to the deadline of the call
	 * @param maximumPacketSize what the broker accepts, {@code null} without a limit
	 * @throws StateStoreInvalidRequestException if the broker does not accept so much
	 */
	MqttMessage message(byte[] payload, Options options, Bytes correlationData, Duration remaining,
			@Nullable Long maximumPacketSize) {
		MqttProperties properties = new MqttProperties();
		properties.setResponseTopic(this.responseTopic);
		properties.setCorrelationData(correlationData.toArray());
		properties.setContentType("application/octet-stream");
		properties.setPayloadFormat(false);
		properties.setMessageExpiryInterval(roundUpToSeconds(remaining));
		properties.setUserProperties(userProperties(options));
		MqttMessage message = new MqttMessage(payload, 1, false, properties);
		if (maximumPacketSize != null) {
			checkPacketSize(message, maximumPacketSize);
		}
		return message;
	}

	private List<UserProperty> userProperties(Options options) {
		List<UserProperty> properties = new ArrayList<>(5);
		properties.add(new UserProperty(UserProperties.TIMESTAMP, this.clock.tick().toPaddedString()));
		if (options.fencingToken() != null) {
			properties
				.add(new UserProperty(UserProperties.FENCING_TOKEN, options.fencingToken().version().toPaddedString()));
		}
		properties.add(this.protocolVersion);
		properties.add(this.sourceId);
		if (options.persistent()) {
			properties.add(this.persistence);
		}
		return properties;
	}

	private void checkPacketSize(MqttMessage message, long maximum) {
		int payload = message.getPayload().length;
		if (payload + (long) MAX_OVERHEAD <= maximum) {
			return;
		}
		try {
			int packet = new MqttPublish(Topics.REQUEST, message, message.getProperties()).getHeader().length + payload;
			if (packet > maximum) {
				throw new StateStoreInvalidRequestException("The request has " + packet + " bytes, but the broker at "
						+ this.options.url() + " accepts packets of at most " + maximum
						+ " bytes. Store a smaller value or raise its maximum packet size");
			}
		}
		catch (MqttException ex) {
			throw new StateStoreInvalidRequestException("The request cannot be encoded", ex);
		}
	}

	private static long roundUpToSeconds(Duration duration) {
		return duration.toSeconds() + ((duration.toNanosPart() > 0) ? 1 : 0);
	}

}
