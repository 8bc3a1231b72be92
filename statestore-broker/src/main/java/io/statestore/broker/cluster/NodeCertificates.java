package io.statestore.broker.cluster;

import java.util.Objects;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

import io.statestore.broker.security.PemFiles;
import io.statestore.protocol.InvalidOptionException;

/**
 * A node's certificate and key, and the nodes' certificate authorities, for connections
 * between nodes. Immutable.
 */
public final class NodeCertificates {

	private final Supplier<Supplier<SSLContext>> contexts;

	private NodeCertificates(Supplier<Supplier<SSLContext>> contexts) {
		this.contexts = contexts;
	}

	/**
	 * Returns certificates from files. Changed files apply to new connections.
	 * @param files the files, which are first read when the node starts
	 * @return new certificates
	 * @throws InvalidOptionException if the node's certificate or the certificate
	 * authorities are missing
	 */
	public static NodeCertificates of(PemFiles files) {
		if (files.certificate() == null) {
			throw new InvalidOptionException("nodeCert", null, "must be a file with the certificate of this node");
		}
		if (files.authorities() == null) {
			throw new InvalidOptionException("nodeCa", null,
					"must be a file with the certificate authorities of the nodes, because the JVM's authorities would "
							+ "admit strangers");
		}
		return new NodeCertificates(files::watch);
	}

	/**
	 * Returns certificates from a TLS context.
	 * @param context supplies the current context for each new connection. The context
	 * must contain the node's certificate and must trust only the nodes' certificate
	 * authorities. Must not block
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
	 * names the file and explains how to fix the problem
	 */
	public Supplier<SSLContext> open() {
		return this.contexts.get();
	}

}
