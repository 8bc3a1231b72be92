package io.statestore.broker.gateway;

import java.net.ConnectException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;

import javax.net.ssl.SSLException;

import io.statestore.broker.security.LogText;
import io.statestore.mqtt.ConnectionFailure;

/**
 * Explains why a connection to the broker failed, with one cause and advice on how to fix
 * the problem.
 */
final class Diagnosis {

	private Diagnosis() {
	}

	/**
	 * Explains the end of a connection.
	 * @param end why the connection ended
	 * @param tls whether the connection uses TLS
	 * @param accepted whether the broker had accepted the connection
	 */
	static BrokerException of(Throwable end, boolean tls, boolean accepted) {
		if (LogText.hasCause(end, SSLException.class)) {
			return new BrokerException(tlsFailure(end), end);
		}
		if (!(end instanceof ConnectionFailure failure)) {
			return lost((accepted ? "the connection failed: " : "cannot connect: ") + LogText.reason(end),
					end instanceof ConnectException || accepted, tls, end);
		}
		String text = String.valueOf(failure.getMessage());
		return switch (failure.kind()) {
			case REFUSED -> refused(failure.reasonCode());
			case DISCONNECTED ->
				new BrokerException(text + ((failure.reason() != null) ? ": " + failure.reason() : ""), failure);
			case MALFORMED -> new BrokerException(text + ": " + LogText.reason(failure), failure);
			case SILENT, NO_ANSWER -> new BrokerException(text, failure);
			case CLOSED, TLS_EXPECTED, NOT_MQTT -> lost(text, accepted, tls, failure);
		};
	}

	private static BrokerException refused(int reasonCode) {
		String code = " (reason 0x" + Integer.toHexString(reasonCode) + "). ";
		return new BrokerException(switch (reasonCode) {
			case 0x84 -> "the broker does not speak MQTT 5" + code + "Use a broker that does";
			case 0x85 -> "the broker refused the client id" + code + "Check --client-id, or clientId of the builder";
			case 0x86, 0x87, 0x8C ->
				"the broker refused the login" + code + "Check --user and --password-file, or login of the builder";
			default -> "the broker refused the connection" + code + "Check the log of the broker";
		});
	}

	private static BrokerException lost(String problem, boolean spoke, boolean tls, Throwable cause) {
		return new BrokerException(spoke ? problem : problem
				+ "; it has not answered CONNECT. Check that it speaks MQTT 5 with" + (tls ? "" : "out") + " TLS",
				cause);
	}

	private static String tlsFailure(Throwable cause) {
		String reason = LogText.reason(cause);
		if (LogText.hasCause(cause, CertPathBuilderException.class)
				|| LogText.hasCause(cause, CertPathValidatorException.class)) {
			return "the certificate of the broker is not trusted: " + reason
					+ ". Pass its certificate authority with --ca-file, or tls of the builder";
		}
		if (LogText.hasCause(cause, CertificateException.class)) {
			return "the certificate of the broker does not name this host: " + reason
					+ ". Connect using a name in the certificate";
		}
		return "TLS failed: " + reason + ". Check that the broker speaks TLS on this port";
	}

}
