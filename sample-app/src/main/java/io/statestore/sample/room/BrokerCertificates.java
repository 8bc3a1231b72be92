package io.statestore.sample.room;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

import io.statestore.broker.certificates.CertificateAuthority;
import io.statestore.broker.certificates.CertificateRequest;
import io.statestore.broker.certificates.IssuedCertificate;

/**
 * Certificates for the connections between the brokers, made for each start of the
 * control room. For your machines, use the command {@code certs --node}: docs/cluster.md.
 */
final class BrokerCertificates {

	private static final Duration VALIDITY = Duration.ofDays(365);

	private BrokerCertificates() {
	}

	/** Writes PEM files. The key of the authority is not stored. */
	static void create(Path directory, Collection<String> brokers) throws IOException {
		Files.createDirectories(directory);
		CertificateAuthority authority = CertificateAuthority.create("Packaging line", VALIDITY);
		write(directory.resolve("ca.pem"), authority.certificate().certificatePem());
		for (String broker : brokers) {
			IssuedCertificate issued = authority.issue(CertificateRequest.node(List.of("localhost"), VALIDITY));
			write(directory.resolve(broker + ".pem"), issued.certificatePem());
			write(directory.resolve(broker + "-key.pem"), issued.keyPem());
		}
	}

	/** Only the owner can read a temporary file. */
	private static void write(Path file, String pem) throws IOException {
		Path temporary = Files.createTempFile(file.getParent(), "new", ".pem");
		Files.writeString(temporary, pem);
		Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
	}

}
