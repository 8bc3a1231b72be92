package io.statestore.mqtt;

import java.time.Duration;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

import io.netty.handler.ssl.SslHandler;

/**
 * A client's TLS settings.
 *
 * @param context the client's certificate, if any, and the certificates it trusts
 * @param verifyHostname whether the server's certificate must name the host
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
