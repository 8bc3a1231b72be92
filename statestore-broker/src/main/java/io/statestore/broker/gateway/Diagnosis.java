package io.statestore.broker.gateway;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;

import javax.net.ssl.SSLException;

import org.jspecify.annotations.Nullable;

/** Explains why a connection to the broker failed, with one cause and the next step. */
final class Diagnosis {

	private Diagnosis() {
	}

	/**
	 * Explains a CONNACK with an error.
	 * @param reasonCode the MQTT 5 reason code
	 */
	static BrokerException refused(int reasonCode) {
		String code = " (reason 0x" + Integer.toHexString(reasonCode) + "). ";
		return new BrokerException(switch (reasonCode) {
			case 0x84 -> "the broker does not speak MQTT 5" + code + "Use a broker that does";
			case 0x85 -> "the broker refused the client id" + code + "Check --client-id, or clientId of the builder";
			case 0x86, 0x87, 0x8C ->
				"the broker refused the login" + code + "Check --user and --password-file, or login of the builder";
			default -> "the broker refused the connection" + code + "Check the log of the broker";
		});
	}

	/**
	 * Explains the end of a connection.
	 * @param cause the exception of the connection, or {@code null} if the broker closed
	 * it
	 * @param tls whether it uses TLS
	 * @param accepted whether the broker had accepted it
	 */
	static BrokerException lost(@Nullable Throwable cause, boolean tls, boolean accepted) {
		if (cause != null && find(cause, SSLException.class)) {
			return new BrokerException(tlsFailure(cause), cause);
		}
		String problem = (cause != null) ? "the connection failed: " + BrokerException.reason(cause)
				: "the broker closed the connection";
		return new BrokerException(accepted ? problem : problem
				+ "; it has not answered CONNECT. Check that it speaks MQTT 5 with" + (tls ? "" : "out") + " TLS",
				cause);
	}

	private static String tlsFailure(Throwable cause) {
		String reason = BrokerException.reason(cause);
		if (find(cause, CertPathBuilderException.class) || find(cause, CertPathValidatorException.class)) {
			return "the certificate of the broker is not trusted: " + reason
					+ ". Pass its certificate authority with --ca-file, or tls of the builder";
		}
		if (find(cause, CertificateException.class)) {
			return "the certificate of the broker does not name this host: " + reason
					+ ". Connect using a name in the certificate";
		}
		return "TLS failed: " + reason + ". Check that the broker speaks TLS on this port";
	}

	private static boolean find(Throwable failure, Class<? extends Throwable> type) {
		Throwable cause = failure;
		while (cause != null && !type.isInstance(cause)) {
			cause = cause.getCause();
		}
		return cause != null;
	}

}
