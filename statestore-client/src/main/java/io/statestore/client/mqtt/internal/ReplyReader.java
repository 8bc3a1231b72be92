package io.statestore.client.mqtt.internal;

import java.util.concurrent.atomic.AtomicBoolean;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Replies;
import io.statestore.protocol.Reply;
import io.statestore.protocol.UserProperties;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decodes replies (protocol sections 1 to 3). Values are not copied. Thread-safe. */
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
	 * Decodes the reply to a command.
	 * @param verb name of the command
	 * @param read whether the command changes nothing
	 * @param request the encoded command
	 * @throws StateStoreException if the reply is an error or malformed; the outcome of a
	 * write with a malformed reply is unknown
	 */
	Response read(String verb, boolean read, byte[] request, LinkMessage message) {
		String status = message.userProperty(UserProperties.STATUS);
		if (status != null && isFailure(status)) {
			String text = message.userProperty(UserProperties.STATUS_MESSAGE);
			throw noAnswer(read, "The state store at " + this.options.url() + " could not process " + verb + ": status "
					+ status + ((text != null) ? ", " + text : ""), null);
		}
		try {
			Reply reply = Replies.decode(Bytes.wrap(message.payload()));
			if (reply instanceof Reply.Error error) {
				throw Refusals.of(verb, request, error, this.options);
			}
			String timestamp = message.userProperty(UserProperties.TIMESTAMP);
			return new Response(reply, (timestamp != null) ? received(Version.parse(timestamp)) : null);
		}
		catch (ProtocolException ex) {
			throw noAnswer(read,
					"The state store at " + this.options.url() + " answered " + verb
							+ " with a reply that violates the protocol (" + ex.getMessage() + ", "
							+ message.payload().length + " bytes); the command may have been executed",
					ex);
		}
	}

	private static StateStoreException noAnswer(boolean read, String message, @Nullable Throwable cause) {
		return read ? new StateStoreException(message, cause) : new StateStoreOutcomeUnknownException(message, cause);
	}

	private static boolean isFailure(String status) {
		// A status without three digits is invalid and counts as a failure.
		return status.length() != 3 || status.charAt(0) < '0' || status.charAt(0) >= '4';
	}

	private Version received(Version version) {
		try {
			this.clock.receive(version);
		}
		catch (ProtocolException ex) {
			// The reply is valid. Only the local clock cannot follow.
			if (this.warnedOfDrift.compareAndSet(false, true)) {
				logger.warn(
						"The clock of the state store at {} is more than {} s ahead of this machine's clock; "
								+ "synchronize the clocks",
						this.options.url(), HybridLogicalClock.MAX_DRIFT.toSeconds());
			}
		}
		return version;
	}

}
