package io.statestore.broker.server;

import java.util.function.LongSupplier;
import java.util.zip.CRC32;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.TraceContext;
import io.statestore.protocol.UserProperties;
import io.statestore.protocol.ProtocolDialect;
import org.jspecify.annotations.Nullable;

/**
 * A request that can be answered (protocol section 1), with its decoded command.
 *
 * @param request the request as received
 * @param responseTopic the topic for the reply
 * @param correlationData the correlation data for the reply
 * @param command the command, or {@code null} if it is malformed or denied
 * @param error the reason if there is no command
 */
record Call(IncomingRequest request, String responseTopic, Bytes correlationData, @Nullable Command command,
		ErrorReason error) {

	/** Decodes a request. Returns {@code null} if it cannot be answered. */
	static @Nullable Call of(IncomingRequest request, ProtocolDialect form) {
		String responseTopic = request.responseTopic();
		Bytes correlationData = request.correlationData();
		if (request.qos() != 1 || responseTopic == null || correlationData == null) {
			return null;
		}
		try {
			Command command = Commands.decode(request.payload(), form);
			return new Call(request, responseTopic, correlationData, command, ErrorReason.UNKNOWN);
		}
		catch (ProtocolException ex) {
			return new Call(request, responseTopic, correlationData, null, ex.reason());
		}
	}

	/**
	 * Returns whether a request is a SCAN, which takes up to a millisecond, so that a
	 * connection's thread should not execute it.
	 * @param call the request, {@code null} if it cannot be answered
	 */
	static boolean isScan(@Nullable Call call) {
		return call != null && call.command() instanceof Command.Scan;
	}

	@Nullable String timestamp() {
		return property(UserProperties.TIMESTAMP);
	}

	@Nullable String fencingToken() {
		return property(UserProperties.FENCING_TOKEN);
	}

	/** Returns the trace context, which notifications of the change pass on. */
	TraceContext traceContext() {
		return TraceContext.of(this.request.userProperties(), UserProperty::name, UserProperty::value);
	}

	/** Returns the first value of a user property. Some clients send a property twice. */
	private @Nullable String property(String name) {
		for (UserProperty property : this.request.userProperties()) {
			if (property.name().equals(name)) {
				return property.value();
			}
		}
		return null;
	}

	/** Returns whether the request asks that its key survive a restart. */
	boolean isPersistent() {
		return "true".equals(property(UserProperties.PERSISTENCE));
	}

	/**
	 * Returns whether the request has expired since its arrival. Reads the clock only if
	 * the request can expire.
	 */
	boolean isExpiredAt(long arrival, LongSupplier nanoClock) {
		return this.request.messageExpiry() != null && this.request.isExpiredAfter(nanoClock.getAsLong() - arrival);
	}

	/**
	 * Returns a copy that is sufficient to refuse a write, but does not hold the original
	 * message.
	 */
	Call withoutContent() {
		Bytes correlationData = this.correlationData.compact();
		return new Call(this.request.withoutContent(this.responseTopic, correlationData), this.responseTopic,
				correlationData, null, this.error);
	}

	/** Returns a copy that is refused because its client lacks permission. */
	Call denied() {
		return new Call(this.request, this.responseTopic, this.correlationData, null, ErrorReason.NOT_AUTHORIZED);
	}

	/** Returns a digest that distinguishes requests with the same correlation data. */
	int digest() {
		CRC32 digest = new CRC32();
		digest.update(this.request.payload().toByteBuffer());
		return (int) digest.getValue();
	}

}
