package io.statestore.broker.standalone;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command that creates certificates for a trial. */
@Command(name = "certs",
		description = "Creates a certificate authority and certificates for the broker, clients, and nodes, for trials "
				+ "and small plants. Uses an existing authority in the directory.",
		exitCodeList = { "0:created", "1:a file exists or cannot be written", "2:invalid option" })
final class CertsCommand extends ServerCommand {

	private static final String SERVER = "java -jar statestore-server-exec.jar --host 0.0.0.0";

	@Option(names = "--directory", paramLabel = "<directory>", required = true,
			description = "Directory for the files. Created if it does not exist")
	@SuppressWarnings("NullAway.Init")
	private Path directory;

	@Option(names = "--host", paramLabel = "<host>", arity = "1..*",
			description = "Host names and addresses that clients use to connect to the broker, for its certificate")
	private List<String> hosts = List.of();

	@Option(names = "--client", paramLabel = "<name>", arity = "1..*",
			description = "Client names. A certificate is created for each")
	private List<String> clients = List.of();

	@Option(names = "--node", paramLabel = "<name>=<host>[,<host>]", arity = "1..*",
			description = "Cluster nodes, each with the host names and addresses that other nodes use to connect to "
					+ "it. A certificate is created for each node")
	private Map<String, String> nodes = new LinkedHashMap<>();

	@Option(names = "--days", paramLabel = "<number>", defaultValue = "365",
			description = "Days until the broker's, clients', and nodes' certificates expire (default: "
					+ "${DEFAULT-VALUE}). A new authority is valid ten times as long")
	private int days;

	@Option(names = "--force", description = "Replace existing certificates, except the authority's")
	private boolean force;

	@Override
	int run() throws IOException {
		if (this.hosts.isEmpty() && this.clients.isEmpty() && this.nodes.isEmpty()) {
			throw new IllegalArgumentException(
					"Nothing to create; add --host <host> for the certificate of the broker, --client <name>, or "
							+ "--node <name>=<host>");
		}
		if (this.days < 1 || this.days > 36_500) {
			throw new IllegalArgumentException("Option --days is '" + this.days + "'; valid is 1 to 36500");
		}
		CertificateDirectory certificates = new CertificateDirectory(this.directory, this.force);
		certificates.create(this.hosts, this.clients, this.nodes, Duration.ofDays(this.days));
		certificates.created().forEach((file) -> output().println("Created " + file));
		printCommands(certificates);
		return 0;
	}

	private void printCommands(CertificateDirectory files) {
		String host = this.hosts.isEmpty() ? "<host>" : this.hosts.get(0);
		String client = "statestore --host " + host + " --port 8883 --ca " + files.authority();
		if (!this.hosts.isEmpty()) {
			String certificate = CertificateDirectory.SERVER;
			print("Start the broker:",
					SERVER + " --tls-cert " + files.certificate(certificate) + " --tls-key " + files.key(certificate));
			if (!this.clients.isEmpty()) {
				output().println("To accept clients with a certificate only, add:");
				output().println("  --tls-client-ca " + files.authority());
			}
			print("Connect without a certificate:", client + " scan");
		}
		this.clients.forEach((name) -> print("Connect as " + name + ':',
				client + " --cert " + files.certificate(name) + " --key " + files.key(name) + " scan"));
		String peers = this.nodes.entrySet()
			.stream()
			.map((node) -> node.getKey() + '=' + node.getValue().split(",")[0] + ":1885")
			.collect(Collectors.joining(","));
		for (String node : this.nodes.keySet()) {
			String name = CertificateDirectory.nodeName(node);
			print("Start node " + node + " for the first time:",
					SERVER + " --node " + node + " --peers " + peers + " --data-directory data --node-cert "
							+ files.certificate(name) + " --node-key " + files.key(name) + " --node-ca "
							+ files.authority() + " --new-cluster");
		}
		output().println();
		output().println("Keep " + files.key(CertificateDirectory.AUTHORITY)
				+ " secret: it can issue certificates for any name. Only this command needs it");
	}

	private void print(String title, String command) {
		output().println();
		output().println(title);
		output().println("  " + command);
	}

}
