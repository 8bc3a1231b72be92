package io.statestore.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.statestore.broker.certificates.CertificateAuthority;
import io.statestore.broker.certificates.CertificateRequest;
import io.statestore.broker.certificates.IssuedCertificate;
import io.statestore.test.FreePorts;

/** Properties of applications that form a cluster on this machine. */
public final class ClusterFixture {

	private static final Duration VALIDITY = Duration.ofDays(1);

	private final CertificateAuthority authority = CertificateAuthority.create("nodes", VALIDITY);

	private final Path directory;

	private final String peers;

	/** Chooses free ports for the nodes. */
	public ClusterFixture(Path directory, String... nodes) throws IOException {
		this.directory = Files.createDirectories(directory);
		this.peers = Stream.of(nodes)
			.map((node) -> node + "=127.0.0.1:" + FreePorts.next())
			.collect(Collectors.joining(","));
	}

	/** Returns a node's properties, with a separate certificate. */
	public String[] properties(String node, String start) throws IOException {
		IssuedCertificate issued = this.authority.issue(CertificateRequest.node(List.of("127.0.0.1"), VALIDITY));
		String bundle = "spring.ssl.bundle.pem.node.";
		return new String[] { "statestore.embedded.enabled=true",
				"statestore.embedded.data-directory=" + this.directory.resolve("data-" + node),
				"statestore.embedded.cluster.node=" + node, "statestore.embedded.cluster.peers=" + this.peers,
				"statestore.embedded.cluster.initial-state=" + start, "statestore.embedded.cluster.ssl.bundle=node",
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
