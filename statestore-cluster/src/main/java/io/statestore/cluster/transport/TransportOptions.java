package io.statestore.cluster.transport;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

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
 */
public record TransportOptions(String group, Endpoint self, InetSocketAddress listen, Supplier<SSLContext> tls,
		int maxMessageBytes, Duration handshakeTimeout) {

	/** Returns the supported versions of TLS. */
	static String[] protocols() {
		return new String[] { "TLSv1.3" };
	}

}
