package io.statestore.broker.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;

import io.netty.handler.ssl.SslHandler;

/** TLS settings of a client that verifies the host of the server. */
final class Tls {

	private Tls() {
	}

	static SslHandler handler(SSLContext context, String host, int port) {
		SSLEngine engine = context.createSSLEngine(host, port);
		engine.setUseClientMode(true);
		SSLParameters parameters = engine.getSSLParameters();
		parameters.setEndpointIdentificationAlgorithm("HTTPS");
		engine.setSSLParameters(parameters);
		return new SslHandler(engine);
	}

	/**
	 * Returns a context that trusts the certificates in a PEM file and no others.
	 * @throws IllegalArgumentException if the file cannot be read or has no certificate
	 */
	static SSLContext trusting(Path file) {
		try (InputStream in = Files.newInputStream(file)) {
			KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
			trusted.load(null, null);
			for (Certificate certificate : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
				trusted.setCertificateEntry("ca-" + trusted.size(), certificate);
			}
			if (trusted.size() == 0) {
				throw new IllegalArgumentException("The file '" + file
						+ "' has no certificate. Use a PEM file with the certificate authority of the broker");
			}
			TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
			managers.init(trusted);
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(null, managers.getTrustManagers(), null);
			return context;
		}
		catch (IOException | GeneralSecurityException ex) {
			throw new IllegalArgumentException("The file '" + file
					+ "' cannot be read as certificates. Use a PEM file with the certificate authority of the broker: "
					+ ex, ex);
		}
	}

}
