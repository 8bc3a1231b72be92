package io.statestore.client.mqtt;

import java.io.EOFException;
import java.net.ConnectException;
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
import io.statestore.client.mqtt.link.BrokerDisconnectException;
import io.statestore.client.mqtt.link.ConnectionRefusedException;
import io.statestore.client.mqtt.link.ReasonCode;
import io.statestore.client.mqtt.link.TlsExpectedException;
import org.jspecify.annotations.Nullable;

/** Translates failures of a connection into a {@link ConnectionDiagnosis}. */
final class Failures {

	private Failures() {
	}

	/** Returns the cause of a failure in a few words, for logs and messages. */
	static String describe(Throwable failure) {
		Throwable cause = rootCause(failure);
		ConnectionDiagnosis diagnosis = diagnose(cause);
		if (diagnosis == null) {
			return (cause.getMessage() != null) ? cause.getMessage() : cause.getClass().getSimpleName();
		}
		if (cause instanceof ConnectionRefusedException refused) {
			return diagnosis.cause() + ": " + ReasonCode.describe(refused.reasonCode());
		}
		return (cause instanceof SSLException) ? diagnosis.cause() + ": " + cause.getMessage() : diagnosis.cause();
	}

	/**
	 * Returns the next step after a failure, empty if the message contains it already.
	 */
	static String nextStep(@Nullable Throwable failure) {
		Throwable cause = (failure != null) ? rootCause(failure) : null;
		if (cause instanceof StateStoreException) {
			return "";
		}
		ConnectionDiagnosis diagnosis = (cause != null) ? diagnose(cause) : null;
		return ((diagnosis != null) ? diagnosis : ConnectionDiagnosis.NO_ANSWER).nextStep();
	}

	/** Returns whether another client with the same id has taken the session over. */
	static boolean isTakenOver(Throwable loss) {
		return (loss instanceof BrokerDisconnectException disconnect
				&& disconnect.reasonCode() == ReasonCode.SESSION_TAKEN_OVER)
				|| (loss instanceof ConnectionRefusedException refused
						&& refused.reasonCode() == ReasonCode.SESSION_TAKEN_OVER);
	}

	private static @Nullable ConnectionDiagnosis diagnose(Throwable cause) {
		if (cause instanceof ConnectException) {
			return ConnectionDiagnosis.NOT_LISTENING;
		}
		if (cause instanceof UnknownHostException) {
			return ConnectionDiagnosis.UNKNOWN_HOST;
		}
		if (cause instanceof SocketTimeoutException || cause instanceof TimeoutException) {
			return ConnectionDiagnosis.NO_ANSWER;
		}
		if (cause instanceof EOFException
				|| (cause instanceof SocketException && String.valueOf(cause.getMessage()).contains("reset"))) {
			return ConnectionDiagnosis.CLOSED;
		}
		if (cause instanceof TlsExpectedException) {
			return ConnectionDiagnosis.TLS_EXPECTED;
		}
		if (cause instanceof SSLException tls) {
			return diagnoseTls(tls);
		}
		return (cause instanceof ConnectionRefusedException refused) ? diagnose(refused.reasonCode()) : null;
	}

	private static ConnectionDiagnosis diagnose(int reasonCode) {
		return switch (reasonCode) {
			case 0x84 -> ConnectionDiagnosis.NOT_MQTT_5;
			case 0x85 -> ConnectionDiagnosis.CLIENT_ID_REFUSED;
			case 0x86 -> ConnectionDiagnosis.LOGIN_REFUSED;
			case 0x87 -> ConnectionDiagnosis.NOT_AUTHORIZED;
			case 0x8C -> ConnectionDiagnosis.AUTHENTICATION_REFUSED;
			case ReasonCode.SESSION_TAKEN_OVER -> ConnectionDiagnosis.CLIENT_ID_IN_USE;
			default -> ConnectionDiagnosis.REFUSED;
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
		if (text.contains("unrecognized ssl message") || text.contains("not an ssl/tls record")) {
			return ConnectionDiagnosis.TLS_NOT_SPOKEN;
		}
		if (text.contains("terminated the handshake") || text.contains("during the handshake")) {
			return ConnectionDiagnosis.TLS_CLOSED;
		}
		if (text.contains("no subject alternative") || text.contains("no name matching")) {
			return ConnectionDiagnosis.CERTIFICATE_OF_OTHER_HOST;
		}
		return (text.contains("received fatal alert") && (text.contains("certificate") || text.contains("unknown_ca")))
				? ConnectionDiagnosis.CLIENT_CERTIFICATE_REFUSED : ConnectionDiagnosis.TLS_FAILED;
	}

	private static Throwable rootCause(Throwable failure) {
		Throwable cause = failure;
		while (cause.getCause() != null && cause.getCause() != cause && !(cause instanceof SSLException)) {
			cause = cause.getCause();
		}
		return cause;
	}

}
