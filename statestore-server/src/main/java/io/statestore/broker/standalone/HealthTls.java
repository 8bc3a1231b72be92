package io.statestore.broker.standalone;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.Locale;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

import io.statestore.broker.security.PemFiles;

/** TLS of health checks. */
final class HealthTls {

	private final SSLContext context;

	private final boolean verifies;

	private final boolean hasCertificate;

	/**
	 * Reads the files.
	 * @throws IllegalArgumentException if a file is not usable
	 */
	HealthTls(PemFiles files) {
		this.verifies = files.authorities() != null;
		this.hasCertificate = files.certificate() != null;
		this.context = this.verifies ? files.newContext() : unverified();
	}

	private static SSLContext unverified() {
		try {
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(null, new TrustManager[] { new AnyServer() }, null);
			return context;
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("TLS is not available in this JVM", ex);
		}
	}

	/** Returns a socket that is not connected. */
	Socket socket() throws IOException {
		SSLSocket socket = (SSLSocket) this.context.getSocketFactory().createSocket();
		if (this.verifies) {
			SSLParameters parameters = socket.getSSLParameters();
			parameters.setEndpointIdentificationAlgorithm("HTTPS");
			socket.setSSLParameters(parameters);
		}
		return socket;
	}

	/**
	 * Returns whether the broker has closed the connection because it requires a
	 * certificate (RFC 8446 section 6.2; TLS 1.2 uses a more general alert).
	 */
	boolean isMissingCertificate(Exception failure) {
		String message = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
		return !this.hasCertificate && failure instanceof SSLException
				&& (message.contains("certificate_required") || message.contains("bad_certificate"));
	}

	/** Trusts every certificate: the check sends nothing secret. */
	private static final class AnyServer extends X509ExtendedTrustManager {

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType) {
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) {
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType) {
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) {
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {
		}

		@Override
		public X509Certificate[] getAcceptedIssuers() {
			return new X509Certificate[0];
		}

	}

}
