package io.statestore.cluster.transport;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

import com.alipay.sofa.jraft.util.Endpoint;

/**
 * Settings of a node's transport.
 *
 * @param group name of the cluster, which peers must name
 * @param self this node's address, as other nodes know it. Its host must be one of the
 * certificate's subject alternative names
 * @param listen address to listen on for other nodes
 * @param tls returns the current TLS context, with this node's certificate and the
 * cluster's certificate authorities; called on network threads, so it must not block
 * @param maxMessageBytes maximum size of a message, in bytes
 * @param handshakeTimeout how long a peer may take to present its certificate and greet
 * @param directories what this node knows about other nodes' directories
 */
public record TransportOptions(String group, Endpoint self, InetSocketAddress listen, Supplier<SSLContext> tls,
		int maxMessageBytes, Duration handshakeTimeout, Directories directories) {

	/** Returns this node's greeting for another node. */
	Greeting greeting(Endpoint peer) {
		String known = this.directories.of(peer);
		return new Greeting(this.group, this.self.toString(), peer.toString(), this.directories.foundersDigest(),
				this.directories.own(), (known != null) ? known : "");
	}

	static String[] protocols() {
		return new String[] { "TLSv1.3" };
	}

	/**
	 * Creates the TLS engine for a connection to another node, which must present a
	 * certificate for the host that this node connects to.
	 * @param peer the other node
	 * @return a new engine
	 */
	SSLEngine newClientEngine(Endpoint peer) {
		SSLEngine engine = this.tls.get().createSSLEngine(peer.getIp(), peer.getPort());
		engine.setUseClientMode(true);
		SSLParameters parameters = engine.getSSLParameters();
		parameters.setProtocols(protocols());
		// Check the host in the peer's certificate.
		parameters.setEndpointIdentificationAlgorithm("HTTPS");
		engine.setSSLParameters(parameters);
		return engine;
	}

}
