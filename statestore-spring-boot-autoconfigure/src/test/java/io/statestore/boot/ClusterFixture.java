package io.statestore.boot;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.statestore.broker.certificates.CertificateAuthority;
import io.statestore.broker.certificates.CertificateRequest;
import io.statestore.broker.certificates.IssuedCertificate;

/** Properties of applications that form a cluster on this machine. */
public final class ClusterFixture {

	private static final Duration VALIDITY = Duration.ofDays(1);

	private final CertificateAuthority authority = CertificateAuthority.create("nodes", VALIDITY);

	private final Path directory;

	private final String peers;

	/** Chooses free ports for the nodes. */
	public ClusterFixture(Path directory, String... nodes) throws IOException {
		this.directory = Files.createDirectories(directory);
		Map<String, ServerSocket> sockets = new LinkedHashMap<>();
		for (String node : nodes) {
			sockets.put(node, new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
		}
		this.peers = sockets.entrySet()
			.stream()
			.map((socket) -> socket.getKey() + "=127.0.0.1:" + socket.getValue().getLocalPort())
			.collect(Collectors.joining(","));
		for (ServerSocket socket : sockets.values()) {
			socket.close();
		}
	}

	/** Returns the properties of a node, with a certificate of its own. */
	public String[] properties(String node, String start) throws IOException {
		IssuedCertificate issued = this.authority.issue(CertificateRequest.node(List.of("127.0.0.1"), VALIDITY));
		String bundle = "spring.ssl.bundle.pem.node.";
		return new String[] { "statestore.embedded.enabled=true",
				"statestore.embedded.directory=" + this.directory.resolve("data-" + node),
				"statestore.embedded.cluster.node=" + node, "statestore.embedded.cluster.peers=" + this.peers,
				"statestore.embedded.cluster.start=" + start, "statestore.embedded.cluster.ssl.bundle=node",
				bundle + "keystore.certificate=file:" + write(node + ".pem", issued.certificatePem()),
				bundle + "keystore.private-key=file:" + write(node + "-key.pem", issued.keyPem()),
				bundle + "truststore.certificate=file:"
						+ write("ca.pem", this.authority.certificate().certificatePem()),
				"statestore.start-timeout=100ms" };
	}

	private Path write(String name, String content) throws IOException {
		return Files.writeString(this.directory.resolve(name), content);
	}

}
