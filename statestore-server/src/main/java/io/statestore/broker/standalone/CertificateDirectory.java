package io.statestore.broker.standalone;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

import io.statestore.broker.certificates.CertificateAuthority;
import io.statestore.broker.certificates.CertificateRequest;
import io.statestore.broker.certificates.IssuedCertificate;

/**
 * Directory with the PEM files of a certificate authority, a broker, clients, and nodes.
 * Keys are readable only by their owner. Not thread-safe.
 */
final class CertificateDirectory {

	static final String AUTHORITY = "ca";

	static final String SERVER = "server";

	private static final Pattern CLIENT_NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._@-]{0,62}");

	private static final int LIFETIME_OF_AUTHORITY = 10;

	private final Path directory;

	private final boolean force;

	private final List<Path> created = new ArrayList<>();

	/**
	 * Opens a directory.
	 * @param directory the directory, created if it does not exist
	 * @param force whether to replace existing files, except for the authority's files
	 */
	CertificateDirectory(Path directory, boolean force) {
		this.directory = directory;
		this.force = force;
	}

	Path certificate(String name) {
		return this.directory.resolve(name + ".pem");
	}

	Path key(String name) {
		return this.directory.resolve(name + "-key.pem");
	}

	Path authority() {
		return certificate(AUTHORITY);
	}

	/** Returns the name of a node's files. */
	static String nodeName(String node) {
		return "node-" + node;
	}

	List<Path> created() {
		return this.created;
	}

	/**
	 * Creates certificates, and an authority if there is none.
	 * @param hosts host names and addresses of the broker, empty for no broker
	 * certificate
	 * @param clients client names
	 * @param nodes each node's host names and addresses, separated by commas, by node
	 * name
	 * @param validity how long the certificates are valid
	 * @throws IOException if a file exists or cannot be written. If a file exists,
	 * nothing is changed
	 * @throws IllegalArgumentException if a name is invalid
	 */
	void create(List<String> hosts, List<String> clients, Map<String, String> nodes, Duration validity)
			throws IOException {
		Map<String, CertificateRequest> requests = new LinkedHashMap<>();
		if (!hosts.isEmpty()) {
			requests.put(SERVER, CertificateRequest.server(hosts, validity));
		}
		for (String client : clients) {
			if (!CLIENT_NAME.matcher(client).matches() || isReserved(client)) {
				throw new IllegalArgumentException("The name of a client is '" + client + "'; use up to 63 letters, "
						+ "digits, and the characters . _ @ - but not '" + AUTHORITY + "', '" + SERVER
						+ "', or a name that ends with '-key', in any case");
			}
			if (requests.put(client, CertificateRequest.client(client, validity)) != null) {
				throw new IllegalArgumentException("The client '" + client + "' is named twice; name it once");
			}
		}
		for (Map.Entry<String, String> node : nodes.entrySet()) {
			List<String> nodeHosts = List.of(node.getValue().split(",", -1));
			if (!CLIENT_NAME.matcher(node.getKey()).matches() || nodeHosts.stream().anyMatch(String::isBlank)) {
				throw new IllegalArgumentException("The node is '" + node.getKey() + '=' + node.getValue()
						+ "'; use a name of letters, digits, and the characters . _ @ - and at least one host, such as "
						+ "a=a.local");
			}
			if (requests.put(nodeName(node.getKey()), CertificateRequest.node(nodeHosts, validity)) != null) {
				throw new IllegalArgumentException("The node '" + node.getKey() + "' and the client '"
						+ nodeName(node.getKey()) + "' would have the same file; use other names");
			}
		}
		for (String name : requests.keySet()) {
			requireAbsent(certificate(name));
			requireAbsent(key(name));
		}
		Files.createDirectories(this.directory);
		CertificateAuthority authority = Files.exists(authority()) || Files.exists(key(AUTHORITY)) ? readAuthority()
				: CertificateAuthority.create("State Store demo CA", validity.multipliedBy(LIFETIME_OF_AUTHORITY));
		Map<String, IssuedCertificate> issued = new LinkedHashMap<>();
		requests.forEach((name, request) -> issued.put(name, authority.issue(request)));
		if (!Files.exists(authority())) {
			write(AUTHORITY, authority.certificate());
		}
		for (Map.Entry<String, IssuedCertificate> entry : issued.entrySet()) {
			write(entry.getKey(), entry.getValue());
		}
	}

	/** Compares names without regard to case, because some file systems do. */
	private static boolean isReserved(String client) {
		String name = client.toLowerCase(Locale.ROOT);
		return name.equals(AUTHORITY) || name.equals(SERVER) || name.endsWith("-key");
	}

	private void requireAbsent(Path file) throws IOException {
		if (!this.force && Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
			throw new FileAlreadyExistsException("The file '" + file
					+ "' exists. Use --force to replace it, or another --directory. Nothing was changed");
		}
	}

	private CertificateAuthority readAuthority() throws IOException {
		try {
			X509Certificate certificate = (X509Certificate) CertificateFactory.getInstance("X.509")
				.generateCertificate(new ByteArrayInputStream(Files.readAllBytes(authority())));
			String pem = Files.readString(key(AUTHORITY)).replaceAll("-----[A-Z ]+-----", "");
			return CertificateAuthority.of(new IssuedCertificate(certificate, KeyFactory.getInstance("EC")
				.generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem)))));
		}
		catch (IOException | GeneralSecurityException | IllegalArgumentException ex) {
			throw new IOException("The certificate authority in '" + authority() + "' and '" + key(AUTHORITY)
					+ "' cannot be read (" + ex.getClass().getSimpleName()
					+ "). Restore both files, or use another --directory. Nothing was changed", ex);
		}
	}

	private void write(String name, IssuedCertificate issued) throws IOException {
		write(key(name), issued.keyPem(), "rw-------");
		write(certificate(name), issued.certificatePem(), "rw-r--r--");
	}

	/** Writes a file atomically, with its final permissions. */
	private void write(Path file, String content, String permissions) throws IOException {
		// Readable only by its owner until it is complete.
		Path incomplete = Files.createTempFile(this.directory, "incomplete", ".pem");
		try {
			Files.write(incomplete, content.getBytes(StandardCharsets.US_ASCII));
			if (this.directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
				Files.setPosixFilePermissions(incomplete, PosixFilePermissions.fromString(permissions));
			}
			Files.move(incomplete, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
		}
		finally {
			Files.deleteIfExists(incomplete);
		}
		this.created.add(file);
	}

}
