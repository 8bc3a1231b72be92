package io.statestore.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import com.alipay.sofa.jraft.util.Endpoint;
import io.statestore.broker.certificates.CertificateAuthority;
import io.statestore.broker.certificates.CertificateRequest;
import io.statestore.broker.certificates.IssuedCertificate;
import io.statestore.broker.cluster.ClusterOptions;
import io.statestore.broker.cluster.ClusterOptions.InitialState;
import io.statestore.broker.cluster.NodeAddress;
import io.statestore.broker.security.PemFiles;
import io.statestore.test.FreePorts;

/** Addresses and certificates of nodes on this machine. */
final class TestNodes {

	private static final CertificateAuthority AUTHORITY = CertificateAuthority.create("nodes", Duration.ofDays(1));

	/** Certificate for all nodes, which have the same host. */
	private static final IssuedCertificate CERTIFICATE = AUTHORITY
		.issue(CertificateRequest.node(List.of("127.0.0.1"), Duration.ofDays(1)));

	private final Path directory;

	private final Map<String, NodeAddress> peers = new LinkedHashMap<>();

	/** Chooses free ports. */
	TestNodes(Path directory, String... names) {
		this.directory = directory;
		for (String name : names) {
			add(name);
		}
	}

	/** Adds a node, which options created afterward include. */
	NodeAddress add(String name) {
		NodeAddress address = new NodeAddress("127.0.0.1", FreePorts.next());
		this.peers.put(name, address);
		return address;
	}

	List<Endpoint> endpoints(Collection<String> names) {
		return names.stream()
			.map((name) -> Objects.requireNonNull(this.peers.get(name)))
			.map((peer) -> new Endpoint(peer.host(), peer.port()))
			.toList();
	}

	ClusterOptions options(String name, InitialState start) throws IOException {
		return ClusterOptions.of(name, this.peers, this.directory.resolve("node-" + name), certificate(name))
			.withInitialState(start);
	}

	private PemFiles certificate(String name) throws IOException {
		return certificate(this.directory.resolve("tls-" + name));
	}

	/** Writes the certificate that all nodes on this machine share. */
	static PemFiles certificate(Path directory) throws IOException {
		Path base = Files.createDirectories(directory);
		return PemFiles
			.of(Files.writeString(base.resolve("crt"), CERTIFICATE.certificatePem()),
					Files.writeString(base.resolve("key"), CERTIFICATE.keyPem()))
			.withAuthorities(Files.writeString(base.resolve("ca"), AUTHORITY.certificate().certificatePem()));
	}

}
