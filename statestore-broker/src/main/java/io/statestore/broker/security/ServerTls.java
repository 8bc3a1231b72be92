package io.statestore.broker.security;

import java.util.Objects;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/**
 * A broker's TLS settings: its certificate, and whether clients need a certificate.
 * Supports TLS 1.2 and 1.3. A changed certificate applies only to new connections.
 * Immutable and thread-safe.
 */
public final class ServerTls {

	private static final String[] PROTOCOLS = { "TLSv1.3", "TLSv1.2" };

	private final Supplier<SSLContext> contexts;

	private final ClientAuth clientAuth;

	private ServerTls(Supplier<SSLContext> contexts, ClientAuth clientAuth) {
		this.contexts = contexts;
		this.clientAuth = clientAuth;
	}

	/**
	 * Returns settings that use TLS contexts created by another component.
	 * @param contexts returns the current context. Called for each new connection on a
	 * network thread, which it must not block. It should return the same context until
	 * the certificate changes, so that clients can resume their TLS sessions
	 * @param clientAuth whether clients need a certificate
	 * @return new TLS settings
	 */
	public static ServerTls of(Supplier<SSLContext> contexts, ClientAuth clientAuth) {
		return new ServerTls(Objects.requireNonNull(contexts, "'contexts' must not be null"),
				Objects.requireNonNull(clientAuth, "'clientAuth' must not be null"));
	}

	/**
	 * Returns settings with PEM files, which are read again within two seconds of a
	 * change. If the files become invalid or are missing, the previous certificate
	 * remains in use and an error is logged.
	 * @param files the broker's certificate and key; with {@link ClientAuth#WANT} or
	 * {@link ClientAuth#NEED}, also the certificate authorities that issue client
	 * certificates
	 * @param clientAuth whether clients need a certificate
	 * @return new TLS settings
	 * @throws IllegalArgumentException if a file is missing or cannot be used. The
	 * message names the file and explains how to fix the problem
	 */
	public static ServerTls ofPem(PemFiles files, ClientAuth clientAuth) {
		if (files.certificate() == null) {
			throw new IllegalArgumentException("A broker with TLS requires a certificate and its key");
		}
		if (clientAuth != ClientAuth.NONE && files.authorities() == null) {
			throw new IllegalArgumentException(
					"Certificates of clients require a file with the certificate authorities that issue them");
		}
		return of(files.watch(), clientAuth);
	}

	/**
	 * Returns whether clients need a certificate.
	 * @return how client certificates are handled
	 */
	public ClientAuth clientAuth() {
		return this.clientAuth;
	}

	/**
	 * Creates the TLS engine for a new connection, with the current certificate. Does not
	 * block.
	 * @return a new engine
	 */
	public SSLEngine newEngine() {
		SSLEngine engine = this.contexts.get().createSSLEngine();
		engine.setUseClientMode(false);
		SSLParameters parameters = engine.getSSLParameters();
		parameters.setProtocols(PROTOCOLS);
		parameters.setUseCipherSuitesOrder(true);
		// Each of the two setters resets the other.
		switch (this.clientAuth) {
			case NONE -> parameters.setWantClientAuth(false);
			case WANT -> parameters.setWantClientAuth(true);
			case NEED -> parameters.setNeedClientAuth(true);
		}
		engine.setSSLParameters(parameters);
		return engine;
	}

	/** Whether clients present a certificate. */
	public enum ClientAuth {

		/** Clients are not asked for a certificate. */
		NONE,

		/**
		 * Clients may connect without a certificate, but a certificate they present must
		 * be valid.
		 */
		WANT,

		/** Clients without a valid certificate are refused. */
		NEED

	}

}
