package io.statestore.client.mqtt.internal;

import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedChannelException;

import io.netty.handler.codec.DecoderException;
import io.statestore.mqtt.ConnectionFailure;

/** Translates and describes the end of a connection. */
final class NettyFailures {

	private NettyFailures() {
	}

	/**
	 * Returns the cause of a failed connect or a lost connection.
	 * @param accepted whether the broker had accepted the connection
	 */
	static Throwable translate(Throwable end, boolean accepted) {
		if (end instanceof ConnectionFailure failure) {
			return translate(failure, accepted);
		}
		if (end instanceof DecoderException && end.getCause() != null) {
			// Netty wraps failures of TLS.
			return end.getCause();
		}
		if (end instanceof ClosedChannelException) {
			return new EOFException("the connection is closed");
		}
		// Some versions of Java report the loss of a connection only by its text.
		return (end.getClass() == IOException.class) ? new SocketException(end.getMessage()) : end;
	}

	private static Throwable translate(ConnectionFailure failure, boolean accepted) {
		String text = String.valueOf(failure.getMessage());
		return switch (failure.kind()) {
			case REFUSED -> BrokerException.refused(failure.reasonCode(), failure.serverReference());
			case DISCONNECTED ->
				BrokerException.disconnected(failure.reasonCode(), failure.reason(), failure.serverReference());
			case CLOSED -> new EOFException(text);
			case NO_ANSWER -> new SocketTimeoutException(text);
			case TLS_EXPECTED -> new TlsExpectedException();
			case NOT_MQTT -> new ProtocolException(text);
			case SILENT -> new IllegalStateException(text);
			case MALFORMED ->
				accepted ? new IllegalStateException(describe(text, failure)) : new ProtocolException(text);
		};
	}

	/**
	 * Describes the end of a connection by a failure, without names of Java classes where
	 * the failure has a message.
	 * @param problem the problem, such as "a message could not be sent"
	 * @param failure the failure that caused it
	 * @return the cause of the end, as shown in the log
	 */
	static String describe(String problem, Throwable failure) {
		Throwable root = failure;
		while (root.getCause() != null && root.getCause() != root) {
			root = root.getCause();
		}
		String message = root.getMessage();
		return problem + ": " + ((message != null) ? message : root.getClass().getSimpleName());
	}

}
