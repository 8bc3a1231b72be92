package io.statestore.client.mqtt.internal;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.StateStoreInvalidRequestException;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.internal.InFlight.NotPermittedException;
import io.statestore.client.mqtt.internal.LinkMessage.UserProperty;
import io.statestore.client.mqtt.internal.NettyMessages.Outgoing;
import io.statestore.mqtt.Accepted;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.Topics;
import io.statestore.protocol.TraceContext;
import io.statestore.protocol.UserProperties;
import org.jspecify.annotations.Nullable;

/**
 * Creates requests (protocol section 1), and rejects commands that MQTT cannot transport.
 * Thread-safe.
 */
final class RequestFactory {

	/** Maximum Remaining Length of an MQTT packet (MQTT 5 section 2.1.4). */
	private static final int MAX_PACKET_LENGTH = 268_435_455;

	/** Upper bound of the size of topic, properties, and RESP headers. */
	private static final int MAX_OVERHEAD = 8 * 1024;

	/** Maximum length of a fencing token. Those of a state store are shorter. */
	private static final int MAX_TOKEN_LENGTH = 1024;

	private final ConnectionOptions options;

	private final HybridLogicalClock clock;

	private final String responseTopic;

	private final UserProperty protocolVersion = new UserProperty(UserProperties.PROTOCOL_VERSION,
			UserProperties.PROTOCOL_VERSION_1);

	private final UserProperty sourceId;

	private final UserProperty persistence = new UserProperty(UserProperties.PERSISTENCE, "true");

	private final CorrelationData correlationData = new CorrelationData();

	RequestFactory(ConnectionOptions options, HybridLogicalClock clock) {
		this.options = options;
		this.clock = clock;
		this.responseTopic = Topics.response(options.clientId());
		this.sourceId = new UserProperty(UserProperties.SOURCE_ID, options.clientId());
	}

	/** Returns a random node id for a hybrid logical clock. */
	static String randomNodeId() {
		byte[] random = new byte[16];
		new SecureRandom().nextBytes(random);
		return HexFormat.of().formatHex(random);
	}

	/** Returns unique correlation data. */
	Bytes nextCorrelationData() {
		return this.correlationData.next();
	}

	/** Returns why a command can never be sent, or {@code null} if it can. */
	@Nullable StateStoreInvalidRequestException check(Command command, Options options) {
		long length = command.length();
		if (length > MAX_PACKET_LENGTH - MAX_OVERHEAD) {
			return new StateStoreInvalidRequestException("Key and value have " + length
					+ " bytes together, but an MQTT packet holds at most " + (MAX_PACKET_LENGTH - MAX_OVERHEAD));
		}
		if (command instanceof Command.KeyNotify watch && !Topics.isWatchable(this.options.clientId(), watch.key())) {
			return new StateStoreInvalidRequestException(
					"A key of " + watch.key().length() + " bytes cannot be watched: at most "
							+ Topics.MAX_WATCHABLE_KEY_LENGTH + " fit into an MQTT topic, less with a long client id");
		}
		if (options.fencingToken() != null && !isText(options.fencingToken().toString())) {
			return new StateStoreInvalidRequestException(
					"The fencing token was not issued by a state store. Use the token of a lock");
		}
		return null;
	}

	private static boolean isText(String text) {
		return text.length() <= MAX_TOKEN_LENGTH && text.chars().allMatch((c) -> c >= ' ' && c < 0x7F);
	}

	/**
	 * Creates a request.
	 * @param remaining time to the deadline of the call
	 * @param accepted what the broker permits
	 * @throws StateStoreInvalidRequestException if the broker does not permit the request
	 * @throws IllegalArgumentException if MQTT cannot transport the request
	 */
	Outgoing message(byte[] payload, Options options, Bytes correlationData, Duration remaining, Accepted accepted) {
		Outgoing message = new Outgoing(
				new LinkMessage(Topics.REQUEST, payload, 1, false, false, roundUpToSeconds(remaining),
						"application/octet-stream", this.responseTopic, correlationData, userProperties(options)));
		NotPermittedException refusal = InFlight.refusal(accepted, message);
		if (refusal == null) {
			return message;
		}
		if (!options.traceContext().isEmpty()) {
			// Sending the command without its trace is better than refusing it.
			return message(payload, options.withTraceContext(TraceContext.EMPTY), correlationData, remaining, accepted);
		}
		throw new StateStoreInvalidRequestException("The request " + refusal.getMessage()
				+ ". Store a smaller value or raise the limit of the broker at " + this.options.url());
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
		options.traceContext().forEach((name, value) -> properties.add(new UserProperty(name, value)));
		return properties;
	}

	private static long roundUpToSeconds(Duration duration) {
		return duration.toSeconds() + ((duration.toNanosPart() > 0) ? 1 : 0);
	}

}
