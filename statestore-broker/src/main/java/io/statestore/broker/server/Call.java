package io.statestore.broker.server;

import java.time.Duration;
import java.util.zip.CRC32;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.UserProperties;
import org.jspecify.annotations.Nullable;

/**
 * A request that can be answered (protocol section 1), read as far as that goes without
 * the store.
 *
 * @param request the request
 * @param responseTopic where the reply goes
 * @param correlationData what the reply echoes
 * @param command what to do; {@code null} if it is not readable
 * @param error why the command is not readable
 */
record Call(IncomingRequest request, String responseTopic, Bytes correlationData, @Nullable Command command,
		ErrorReason error) {

	/** {@code null} if the request cannot be answered. */
	static @Nullable Call of(IncomingRequest request) {
		String responseTopic = request.responseTopic();
		Bytes correlationData = request.correlationData();
		if (request.qos() != 1 || responseTopic == null || correlationData == null) {
			return null;
		}
		try {
			Command command = Commands.decode(request.payload());
			return new Call(request, responseTopic, correlationData, command, ErrorReason.UNKNOWN);
		}
		catch (ProtocolException ex) {
			return new Call(request, responseTopic, correlationData, null, ex.reason());
		}
	}

	@Nullable String timestamp() {
		return property(UserProperties.TIMESTAMP);
	}

	@Nullable String fencingToken() {
		return property(UserProperties.FENCING_TOKEN);
	}

	/** Some clients send a property twice; the first one counts. */
	private @Nullable String property(String name) {
		for (UserProperty property : this.request.userProperties()) {
			if (property.name().equals(name)) {
				return property.value();
			}
		}
		return null;
	}

	boolean isExpiredAfter(long nanos) {
		Duration expiry = this.request.messageExpiry();
		return expiry != null && expiry.compareTo(Duration.ofNanos(nanos)) <= 0;
	}

	/**
	 * Whether the reply must be remembered. Reading again changes nothing, so a repeated
	 * GET or SCAN is simply executed again.
	 */
	boolean isToBeRemembered() {
		return this.command instanceof Command.Write || isObservation();
	}

	/** Whether the command is about the connection, too. */
	boolean isObservation() {
		return this.command instanceof Command.KeyNotify || this.command instanceof Command.KeyNotifyStop;
	}

	/** Tells requests apart whose sender uses correlation data twice. */
	int digest() {
		CRC32 digest = new CRC32();
		digest.update(this.request.payload().toByteBuffer());
		return (int) digest.getValue();
	}

}
