package io.statestore.mqtt;

import java.util.concurrent.Executor;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

import io.netty.handler.ssl.SslHandler;

/**
 * TLS settings of a client.
 *
 * @param context certificates of the client, and those that it trusts
 * @param verifyHostname whether the certificate of the server must name the host
 */
public record Tls(SSLContext context, boolean verifyHostname) {

	SslHandler handler(ConnectionSettings settings, Executor tasks) {
		SSLEngine engine = this.context.createSSLEngine(settings.host(), settings.port());
		engine.setUseClientMode(true);
		if (this.verifyHostname) {
			SSLParameters parameters = engine.getSSLParameters();
			parameters.setEndpointIdentificationAlgorithm("HTTPS");
			engine.setSSLParameters(parameters);
		}
		SslHandler handler = new SslHandler(engine, tasks);
		handler.setHandshakeTimeoutMillis(settings.connectTimeout().toMillis());
		return handler;
	}

}
