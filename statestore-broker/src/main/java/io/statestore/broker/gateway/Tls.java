package io.statestore.broker.gateway;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

import io.netty.handler.ssl.SslHandler;

/** TLS as a client that checks whose certificate it is. */
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
