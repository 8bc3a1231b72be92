package io.statestore.client.mqtt;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Replies;
import io.statestore.protocol.Reply;
import io.statestore.protocol.UserProperties;
import io.statestore.protocol.Version;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.UserProperty;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads replies (protocol sections 1 to 3); values stay where they arrived. */
final class ReplyReader {

	private static final Logger logger = LoggerFactory.getLogger(ReplyReader.class);

	private final ConnectionOptions options;

	private final HybridLogicalClock clock;

	private final AtomicBoolean warnedOfDrift = new AtomicBoolean();

	ReplyReader(ConnectionOptions options, HybridLogicalClock clock) {
		this.options = options;
		this.clock = clock;
	}

	/**
	 * Reads the reply to a command.
	 * @param verb verb of the command
	 * @param read whether the command changes nothing
	 * @throws StateStoreException if the reply is an error or malformed; the outcome of a
	 * write with a malformed reply is unknown
	 */
	Response read(String verb, boolean read, MqttMessage message) {
		List<UserProperty> properties = message.getProperties().getUserProperties();
		String status = find(properties, UserProperties.STATUS);
		if (status != null && isFailure(status)) {
			String text = find(properties, UserProperties.STATUS_MESSAGE);
			throw noAnswer(read, "The state store at " + this.options.url() + " could not process " + verb + ": status "
					+ status + ((text != null) ? ", " + text : ""), null);
		}
		try {
			Reply reply = Replies.decode(Bytes.wrap(message.getPayload()));
			if (reply instanceof Reply.Error error) {
				throw StateStoreRefusedException.of(error.reason(), Refusals.describe(verb, error));
			}
			String timestamp = find(properties, UserProperties.TIMESTAMP);
			return new Response(reply, (timestamp != null) ? received(Version.parse(timestamp)) : null);
		}
		catch (ProtocolException ex) {
			throw noAnswer(read,
					"The state store at " + this.options.url() + " answered " + verb
							+ " with something that is not of its protocol (" + ex.getMessage() + ", "
							+ message.getPayload().length + " bytes); it may have been done",
					ex);
		}
	}

	private static StateStoreException noAnswer(boolean read, String message, @Nullable Throwable cause) {
		return read ? new StateStoreException(message, cause) : new StateStoreOutcomeUnknownException(message, cause);
	}

	private static boolean isFailure(String status) {
		// Three digits; anything else is a failure of the server to say what it means.
		return status.length() != 3 || status.charAt(0) < '0' || status.charAt(0) >= '4';
	}

	private Version received(Version version) {
		try {
			this.clock.receive(version);
		}
		catch (ProtocolException ex) {
			// The reply is good; only our clock cannot follow.
			if (this.warnedOfDrift.compareAndSet(false, true)) {
				logger.warn(
						"The clock of the state store at {} is more than {} s ahead of the clock of this machine; "
								+ "synchronize the clocks",
						this.options.url(), HybridLogicalClock.MAX_DRIFT.toSeconds());
			}
		}
		return version;
	}

	/** The value of a user property, {@code null} without it. */
	static @Nullable String find(@Nullable List<UserProperty> properties, String name) {
		if (properties != null) {
			for (UserProperty property : properties) {
				if (property.getKey().equals(name)) {
					return property.getValue();
				}
			}
		}
		return null;
	}

}
