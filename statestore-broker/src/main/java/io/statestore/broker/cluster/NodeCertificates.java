package io.statestore.broker.cluster;

import java.util.Objects;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

import io.statestore.broker.security.PemFiles;
import io.statestore.protocol.InvalidOptionException;

/**
 * Certificate of a node, its key, and the certificate authorities of the nodes, for the
 * connections between nodes. Immutable.
 */
public final class NodeCertificates {

	private final Supplier<Supplier<SSLContext>> contexts;

	private NodeCertificates(Supplier<Supplier<SSLContext>> contexts) {
		this.contexts = contexts;
	}

	/**
	 * Returns certificates in files. Changed files apply to new connections.
	 * @param files the files, which are read when the node starts
	 * @return new certificates
	 * @throws InvalidOptionException if the files have no certificate of the node, or no
	 * certificate authorities
	 */
	public static NodeCertificates of(PemFiles files) {
		if (files.certificate() == null) {
			throw new InvalidOptionException("nodeCert", null, "must be a file with the certificate of this node");
		}
		if (files.authorities() == null) {
			throw new InvalidOptionException("nodeCa", null,
					"must be a file with the certificate authorities of the nodes, as those of the JVM would admit strangers");
		}
		return new NodeCertificates(files::watch);
	}

	/**
	 * Returns certificates of a TLS context.
	 * @param context supplies the current context for each new connection. The context
	 * must contain the certificate of the node, and trust the certificate authorities of
	 * the nodes only. Must not block
	 * @return new certificates
	 */
	public static NodeCertificates of(Supplier<SSLContext> context) {
		Objects.requireNonNull(context, "'context' must not be null");
		return new NodeCertificates(() -> context);
	}

	/**
	 * Reads the certificates.
	 * @return a supplier of the current TLS context, which does not block
	 * @throws IllegalArgumentException if a file cannot be read or used. The message
	 * names the file and the next step
	 */
	public Supplier<SSLContext> open() {
		return this.contexts.get();
	}

}
