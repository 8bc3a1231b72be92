package io.statestore.client.mqtt.internal;

import java.io.EOFException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Locale;
import java.util.concurrent.TimeoutException;

import javax.net.ssl.SSLException;

import io.statestore.client.StateStoreException;
import io.statestore.client.mqtt.ConnectionOptions;
import org.jspecify.annotations.Nullable;

/** Translates failures of a connection into a {@link ConnectionDiagnosis}. */
final class Failures {

	/** Maximum length of a Server Reference that is shown. */
	private static final int MAX_SHOWN_LENGTH = 100;

	private Failures() {
	}

	/** Returns whether the broker has refused a connection with a reason code. */
	static boolean isRefused(Throwable failure) {
		return rootCause(failure) instanceof BrokerException broker && broker.isRefused();
	}

	/** Returns the cause of a failure in a few words, for logs and messages. */
	static String describe(Throwable failure) {
		return describe(failure, null);
	}

	/**
	 * Returns the cause of a failure in a few words, for logs and messages.
	 * @param options options of the connection, or {@code null} if they do not matter
	 */
	static String describe(Throwable failure, @Nullable ConnectionOptions options) {
		Throwable cause = rootCause(failure);
		ConnectionDiagnosis diagnosis = diagnose(cause, options);
		if (diagnosis == null) {
			return (cause.getMessage() != null) ? cause.getMessage() : cause.getClass().getSimpleName();
		}
		if (cause instanceof BrokerException broker) {
			String reference = broker.serverReference();
			return !broker.isRefused() ? cause.getMessage() + ": " + diagnosis.cause() : diagnosis.cause() + ": "
					+ ReasonCode.describe(broker.reasonCode()) + ((reference != null) ? ", " + shown(reference) : "");
		}
		return (cause instanceof SSLException) ? diagnosis.cause() + ": " + cause.getMessage() : diagnosis.cause();
	}

	/**
	 * Returns the next step after a failure, empty if the message contains it already.
	 * @param options options of the connection
	 */
	static String nextStep(Throwable failure, ConnectionOptions options) {
		Throwable cause = rootCause(failure);
		if (cause instanceof StateStoreException) {
			return "";
		}
		ConnectionDiagnosis diagnosis = diagnose(cause, options);
		return nextStep((diagnosis != null) ? diagnosis : ConnectionDiagnosis.NO_ANSWER, options);
	}

	private static String nextStep(ConnectionDiagnosis diagnosis, ConnectionOptions options) {
		if (options.hosts().size() == 1) {
			return diagnosis.nextStep();
		}
		return switch (diagnosis) {
			case CLOSED -> ConnectionDiagnosis.NODE_CLOSED.nextStep();
			case TLS_CLOSED -> ConnectionDiagnosis.NODE_TLS_CLOSED.nextStep();
			case OTHER_SERVER -> ConnectionDiagnosis.OTHER_NODE.nextStep();
			default -> diagnosis.nextStep()
				.replace("statestore.host and statestore.port", "statestore.hosts")
				.replaceAll("statestore\\.host\\b", "statestore.hosts")
				.replace("statestore.port", "the port in statestore.hosts");
		};
	}

	/**
	 * Returns the next step after the loss of a connection, or {@code null} if there is
	 * none but to reconnect.
	 */
	static @Nullable String nextStepAfterLoss(Throwable loss, ConnectionOptions options) {
		ConnectionDiagnosis diagnosis = (rootCause(loss) instanceof BrokerException broker) ? diagnose(broker, options)
				: null;
		return (diagnosis != null) ? nextStep(diagnosis, options) : null;
	}

	/** Returns whether a host has sent something, or refused or ended the connection. */
	static boolean isAnswer(Throwable failure) {
		Throwable cause = rootCause(failure);
		return !(cause instanceof SocketTimeoutException || cause instanceof TimeoutException);
	}

	/**
	 * Returns whether a failure concerns the client, such as a refused login, so that
	 * another host would fail in the same way.
	 */
	static boolean isSameAtAllHosts(Throwable failure) {
		Throwable cause = rootCause(failure);
		if (cause instanceof BrokerException broker) {
			return !ReasonCode.concernsServer(broker.reasonCode());
		}
		return cause instanceof StateStoreException;
	}

	/**
	 * Returns whether all hosts could fail like this while a cluster elects a leader, so
	 * that a later attempt can succeed.
	 */
	static boolean canEndByElection(Throwable failure) {
		Throwable cause = rootCause(failure);
		return !(cause instanceof SSLException || cause instanceof ProtocolException || isSameAtAllHosts(cause));
	}

	/**
	 * Returns the Server Reference with which a broker has refused or ended a connection,
	 * or {@code null} if there is none.
	 */
	static @Nullable String serverReference(Throwable failure) {
		return (rootCause(failure) instanceof BrokerException broker) ? broker.serverReference() : null;
	}

	/** Returns a Server Reference for logs and messages, because the broker chose it. */
	static String shown(String reference) {
		StringBuilder shown = new StringBuilder();
		reference.codePoints()
			.limit(MAX_SHOWN_LENGTH)
			.map((c) -> Character.isISOControl(c) ? '?' : c)
			.forEach(shown::appendCodePoint);
		return "'" + shown + '\'';
	}

	/** Returns whether another client with the same id has taken the session over. */
	static boolean isTakenOver(Throwable loss) {
		return loss instanceof BrokerException broker && broker.reasonCode() == ReasonCode.SESSION_TAKEN_OVER;
	}

	private static @Nullable ConnectionDiagnosis diagnose(Throwable cause, @Nullable ConnectionOptions options) {
		if (cause instanceof ConnectException) {
			return ConnectionDiagnosis.NOT_LISTENING;
		}
		if (cause instanceof UnknownHostException) {
			return ConnectionDiagnosis.UNKNOWN_HOST;
		}
		if (cause instanceof SocketTimeoutException || cause instanceof TimeoutException) {
			return ConnectionDiagnosis.NO_ANSWER;
		}
		if (cause instanceof EOFException || (cause instanceof SocketException && isClosed(cause))) {
			// In TLS 1.3, the handshake of the client ends before the broker has checked
			// the client's certificate. The reset may overtake the alert (RFC 8446
			// section 4.4.2.4).
			return (options != null && options.tls() != null) ? ConnectionDiagnosis.TLS_CLOSED
					: ConnectionDiagnosis.CLOSED;
		}
		if (cause instanceof TlsExpectedException) {
			return ConnectionDiagnosis.TLS_EXPECTED;
		}
		if (cause instanceof ProtocolException) {
			return ConnectionDiagnosis.NOT_MQTT;
		}
		if (cause instanceof SSLException tls) {
			return diagnoseTls(tls);
		}
		if (cause instanceof BrokerException broker) {
			return broker.isRefused() ? diagnose(broker.reasonCode(), options)
					: diagnoseDisconnect(broker.reasonCode());
		}
		return null;
	}

	private static boolean isClosed(Throwable cause) {
		String text = String.valueOf(cause.getMessage());
		return text.contains("reset") || text.contains("Broken pipe");
	}

	private static ConnectionDiagnosis diagnose(int reasonCode, @Nullable ConnectionOptions options) {
		return switch (reasonCode) {
			case 0x84 -> ConnectionDiagnosis.NOT_MQTT_5;
			case 0x85 -> ConnectionDiagnosis.CLIENT_ID_REFUSED;
			case 0x86, 0x87 -> diagnoseLogin(reasonCode, options);
			case 0x88, 0x89 -> ConnectionDiagnosis.BROKER_BUSY;
			case 0x8A -> ConnectionDiagnosis.BANNED;
			case 0x8C -> ConnectionDiagnosis.AUTHENTICATION_REFUSED;
			case ReasonCode.SESSION_TAKEN_OVER -> ConnectionDiagnosis.CLIENT_ID_IN_USE;
			case 0x95 -> ConnectionDiagnosis.CONNECT_TOO_LARGE;
			case 0x97 -> ConnectionDiagnosis.LIMIT_REACHED;
			case 0x9C, 0x9D -> ConnectionDiagnosis.OTHER_SERVER;
			case 0x9F -> ConnectionDiagnosis.TOO_MANY_CONNECTS;
			default -> ConnectionDiagnosis.REFUSED;
		};
	}

	private static ConnectionDiagnosis diagnoseLogin(int reasonCode, @Nullable ConnectionOptions options) {
		if (options != null && options.authentication() != null) {
			return ConnectionDiagnosis.TOKEN_REFUSED;
		}
		if (options != null && options.username() == null) {
			return ClientCertificates.exist(options) ? ConnectionDiagnosis.CERTIFICATE_LOGIN_REFUSED
					: ConnectionDiagnosis.LOGIN_REQUIRED;
		}
		return (reasonCode == 0x86) ? ConnectionDiagnosis.LOGIN_REFUSED : ConnectionDiagnosis.NOT_AUTHORIZED;
	}

	private static @Nullable ConnectionDiagnosis diagnoseDisconnect(int reasonCode) {
		return switch (reasonCode) {
			case 0x87 -> ConnectionDiagnosis.LOGIN_ENDED;
			case 0x97 -> ConnectionDiagnosis.LIMIT_REACHED;
			case 0x9F -> ConnectionDiagnosis.TOO_MANY_CONNECTS;
			default -> null;
		};
	}

	private static ConnectionDiagnosis diagnoseTls(SSLException failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof CertificateExpiredException || cause instanceof CertificateNotYetValidException) {
				return ConnectionDiagnosis.CERTIFICATE_EXPIRED;
			}
			if (cause instanceof CertPathBuilderException || cause instanceof CertPathValidatorException) {
				return ConnectionDiagnosis.CERTIFICATE_NOT_TRUSTED;
			}
		}
		String text = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
		if (text.contains("not an ssl/tls record")) {
			return ConnectionDiagnosis.TLS_NOT_SPOKEN;
		}
		if (text.contains("no subject alternative") || text.contains("no name matching")) {
			return ConnectionDiagnosis.CERTIFICATE_OF_OTHER_HOST;
		}
		if (text.contains("protocol_version") || text.contains("protocol version")
				|| text.contains("no appropriate protocol")) {
			return ConnectionDiagnosis.TLS_VERSION;
		}
		if (text.contains("received fatal alert: handshake_failure")) {
			return ConnectionDiagnosis.TLS_REFUSED;
		}
		return (text.contains("received fatal alert")
				&& (text.contains("certificate") || text.contains("unknown_ca") || text.contains("access_denied")))
						? ConnectionDiagnosis.CLIENT_CERTIFICATE_REFUSED : ConnectionDiagnosis.TLS_FAILED;
	}

	private static Throwable rootCause(Throwable failure) {
		Throwable cause = failure;
		while (cause.getCause() != null && cause.getCause() != cause && !(cause instanceof SSLException)
				&& !(cause instanceof StateStoreException)) {
			cause = cause.getCause();
		}
		return cause;
	}

}
