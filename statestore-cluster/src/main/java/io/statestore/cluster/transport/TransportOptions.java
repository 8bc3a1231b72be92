package io.statestore.cluster.transport;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

import com.alipay.sofa.jraft.util.Endpoint;

/**
 * Settings of the transport of one node.
 *
 * @param group name of the cluster, which peers must name
 * @param self address of this node, as the other nodes know it. Its host must be one of
 * the subject alternative names of the certificate
 * @param listen address to listen on
 * @param tls returns the current TLS context, with the certificate of this node and the
 * certificate authorities of the cluster. Called on network threads, which it must not
 * block
 * @param maxMessageBytes maximum size of a message, in bytes
 * @param handshakeTimeout time within which a peer has to present its certificate and
 * greet
 * @param directories what this node knows of the directories of others
 */
public record TransportOptions(String group, Endpoint self, InetSocketAddress listen, Supplier<SSLContext> tls,
		int maxMessageBytes, Duration handshakeTimeout, Directories directories) {

	/** Returns the greeting of this node to another one. */
	Greeting greeting(Endpoint peer) {
		String known = this.directories.of(peer);
		return new Greeting(this.group, this.self.toString(), peer.toString(), this.directories.foundersDigest(),
				this.directories.own(), (known != null) ? known : "");
	}

	/** Returns the supported versions of TLS. */
	static String[] protocols() {
		return new String[] { "TLSv1.3" };
	}

	/**
	 * Creates the engine of a connection to another node, which has to present a
	 * certificate for the host that this node connects to.
	 * @param peer the other node
	 * @return a new engine
	 */
	SSLEngine newClientEngine(Endpoint peer) {
		SSLEngine engine = this.tls.get().createSSLEngine(peer.getIp(), peer.getPort());
		engine.setUseClientMode(true);
		SSLParameters parameters = engine.getSSLParameters();
		parameters.setProtocols(protocols());
		// Checks the host in the certificate of the peer.
		parameters.setEndpointIdentificationAlgorithm("HTTPS");
		engine.setSSLParameters(parameters);
		return engine;
	}

}
