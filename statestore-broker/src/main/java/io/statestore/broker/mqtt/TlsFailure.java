package io.statestore.broker.mqtt;

import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Locale;

import io.netty.handler.ssl.NotSslRecordException;
import io.statestore.broker.security.LogText;

/** Reasons for a failed TLS handshake, with the message for the log. */
enum TlsFailure {

	/** The client does not use TLS. */
	PLAIN("Closed a connection from {} that does not begin with TLS: this port accepts TLS only. "
			+ "Connect with TLS (mqtts://)"),

	/** The client's certificate has expired or is not valid yet. */
	EXPIRED("Refused a client at {}: its certificate has expired or is not valid yet. "
			+ "Renew it, and check the clocks of both machines"),

	/** The client has not presented a certificate. */
	NO_CERTIFICATE("Refused a client at {}: it has no certificate, which this broker requires. "
			+ "Configure the certificate and the key of the client"),

	/** No trusted authority issued the client's certificate for client authentication. */
	UNTRUSTED("Refused a client at {}: this broker does not trust its certificate ({}). Check that an authority in the "
			+ "broker's file of client authorities issued it, and that it permits client authentication"),

	/** The client does not accept the broker's certificate. */
	REJECTED("A client at {} rejected the certificate of this broker ({}). Check that the client trusts the authority "
			+ "that issued it, that it names the host used by the client, and that it has not expired"),

	/** The client and the broker have no TLS version or cipher in common. */
	VERSION("Refused a client at {}: it has no version or cipher of TLS in common with this broker ({}). "
			+ "Use TLS 1.2 or 1.3"),

	/** Any other reason. */
	OTHER("TLS handshake with a client at {} failed: {}");

	/**
	 * Part of the JDK's message for an unencrypted two-byte alert. OpenSSL clients reject
	 * a certificate in this way with TLS 1.3.
	 */
	private static final String ALERT_OF_JDK = "insufficient buffer remaining for aead cipher fragment (2)";

	private static final String UNENCRYPTED_ALERT = "an alert that is not encrypted";

	private final String format;

	TlsFailure(String format) {
		this.format = format;
	}

	/**
	 * Returns the failure for an exception.
	 * @param cause why the handshake failed
	 */
	static TlsFailure of(Throwable cause) {
		if (cause instanceof NotSslRecordException) {
			return PLAIN;
		}
		if (LogText.hasCause(cause, CertificateExpiredException.class)
				|| LogText.hasCause(cause, CertificateNotYetValidException.class)) {
			return EXPIRED;
		}
		String reason = reason(cause).toLowerCase(Locale.ROOT);
		if (reason.equals(UNENCRYPTED_ALERT)) {
			return REJECTED;
		}
		if (reason.contains("empty client certificate chain") || reason.contains("null cert chain")) {
			return NO_CERTIFICATE;
		}
		if (LogText.hasCause(cause, CertificateException.class)
				|| LogText.hasCause(cause, CertPathValidatorException.class)) {
			return UNTRUSTED;
		}
		if (reason.contains("fatal alert")) {
			return (reason.contains("version") || reason.contains("handshake_failure")) ? VERSION : REJECTED;
		}
		boolean version = reason.contains("protocol") || reason.contains("cipher suites");
		return version ? VERSION : OTHER;
	}

	/** Returns an exception's reason for the log. */
	static String reason(Throwable cause) {
		String message = LogText.reason(cause);
		return message.toLowerCase(Locale.ROOT).contains(ALERT_OF_JDK) ? UNENCRYPTED_ALERT : message;
	}

	/** Returns the log message, with placeholders for the address and the reason. */
	String format() {
		return this.format;
	}

}
