package io.statestore.broker.gateway;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

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

}
