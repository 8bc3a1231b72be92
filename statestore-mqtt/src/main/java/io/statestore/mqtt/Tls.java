package io.statestore.mqtt;

import java.time.Duration;

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

	SslHandler handler(String host, int port, Duration timeout) {
		SSLEngine engine = this.context.createSSLEngine(host, port);
		engine.setUseClientMode(true);
		if (this.verifyHostname) {
			SSLParameters parameters = engine.getSSLParameters();
			parameters.setEndpointIdentificationAlgorithm("HTTPS");
			engine.setSSLParameters(parameters);
		}
		SslHandler handler = new SslHandler(engine);
		handler.setHandshakeTimeoutMillis(timeout.toMillis());
		return handler;
	}

}
