package io.statestore.sample.room;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.statestore.boot.StateStoreConnectionDetails;
import io.statestore.broker.certificates.CertificateAuthority;
import io.statestore.broker.certificates.CertificateRequest;
import io.statestore.broker.certificates.IssuedCertificate;
import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.ClusterNodeState.Role;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * Three brokers that form one store, each in a process of its own: docs/cluster.md. They
 * run the {@link io.statestore.sample.broker.BrokerApplication}. With one broker, there
 * are no such processes.
 */
@Component
class Brokers implements StateStoreConnectionDetails {

	private final Map<String, ChildProcess> processes = new TreeMap<>();

	private final List<Integer> ports;

	private final Line line;

	/** The brokers, as reported by their leader; empty if no broker answers. */
	private volatile List<ClusterNodeState> nodes = List.of();

	/** Latest message about a new leader. */
	private String latestNews = "";

	Brokers(RoomProperties properties, Line line, @Value("${statestore.port}") int port) {
		this.line = line;
		int count = properties.brokers();
		this.ports = IntStream.range(port, port + count).boxed().toList();
		if (properties.isCluster()) {
			String peers = this.ports.stream()
				.map((own) -> name(own) + "=localhost:" + (own + count))
				.collect(Collectors.joining(","));
			// The addresses of the nodes are part of their data.
			Path directory = properties.data().resolve("brokers-" + port);
			// For your machines, use the command 'certs --node'.
			CertificateAuthority authority = CertificateAuthority.create("Packaging line", Duration.ofDays(365));
			this.ports.forEach((own) -> {
				IssuedCertificate certificate = authority
					.issue(CertificateRequest.node(List.of("localhost"), Duration.ofDays(365)));
				Map<String, String> environment = Map.of("SAMPLE_AUTHORITY", authority.certificate().certificatePem(),
						"SAMPLE_CERTIFICATE", certificate.certificatePem(), "SAMPLE_KEY", certificate.keyPem());
				this.processes.put(name(own),
						new ChildProcess(name(own), line, () -> launch(name(own), environment, directory, own, peers)));
			});
		}
	}

	private String name(int port) {
		return "broker-" + (port - this.ports.get(0) + 1);
	}

	/** The default limits of a node need a heap of 256 MiB. */
	private static Process launch(String name, Map<String, String> environment, Path directory, int port,
			String peers) {
		// A file that each node writes at its first start.
		boolean known = Files.exists(directory.resolve(name).resolve("node"));
		return ChildProcess.sample(name, "256m", environment,
				List.of("--sample.node=" + name, "--sample.port=" + port, "--sample.peers=" + peers,
						"--sample.directory=" + directory, "--sample.start=" + (known ? "existing" : "new-cluster")));
	}

	boolean isCluster() {
		return !this.processes.isEmpty();
	}

	boolean isRunning() {
		return this.processes.values().stream().anyMatch(ChildProcess::isRunning);
	}

	/** Returns the ports on which clients can connect, also with a single broker. */
	List<Integer> ports() {
		return this.ports;
	}

	@Override
	public String getHost() {
		return "localhost";
	}

	@Override
	public int getPort() {
		return this.ports.get(0);
	}

	/** The client connects to any of three brokers: docs/deployment.md. */
	@Override
	public List<String> getHosts() {
		return isCluster() ? this.ports.stream().map((port) -> "localhost:" + port).toList() : List.of();
	}

	/** Starts all brokers at once, because one of them alone has no leader. */
	AutoCloseable start() {
		this.processes.values().forEach(ChildProcess::start);
		return () -> this.processes.values().forEach(ChildProcess::close);
	}

	/** Returns the process of a broker. */
	ChildProcess get(String name) {
		ChildProcess process = this.processes.get(name);
		if (process == null) {
			throw new IllegalStateException(
					name + " does not exist. For three brokers, start the control room with --sample.brokers=3");
		}
		return process;
	}

	/**
	 * Called with the answer of the leading broker.
	 * @param answer the brokers as it reports them, empty if no broker answers
	 */
	synchronized void status(List<ClusterNodeState> answer) {
		this.nodes = answer;
		states().stream().filter((broker) -> broker.role().equals(State.LEADER)).forEach((broker) -> {
			String news = broker.name() + " leads the brokers in term " + broker.term() + '.';
			if (!news.equals(this.latestNews)) {
				this.latestNews = news;
				this.line.log(Line.NEW_LEADER, news);
			}
		});
	}

	/** Returns the three brokers, none if there is one. */
	List<State> states() {
		return this.processes.entrySet()
			.stream()
			.map((entry) -> entry.getValue().isRunning() ? running(entry.getKey())
					: new State(entry.getKey(), State.STOPPED, 0))
			.toList();
	}

	private State running(String name) {
		return this.nodes.stream()
			.filter((node) -> name.equals(node.name()))
			.filter((node) -> node.role() == Role.LEADER || node.role() == Role.FOLLOWER)
			.map((node) -> new State(name, (node.role() == Role.LEADER) ? State.LEADER : State.FOLLOWER, node.term()))
			.findFirst()
			.orElse(new State(name, State.WAITING, 0));
	}

	/**
	 * One of three brokers, as the page shows it.
	 *
	 * @param name its name, such as {@code broker-1}
	 * @param role its role
	 * @param term number of its term of leadership, 0 if it is unknown
	 */
	record State(String name, String role, long term) {

		/** Serves the clients. */
		static final String LEADER = "Leader";

		/** Has a copy of the store, and forwards clients to the leader. */
		static final String FOLLOWER = "Follower";

		/** Runs, and no leader has reported its role yet. */
		static final String WAITING = "Waiting";

		/** Its process has ended. */
		static final String STOPPED = "Stopped";

	}

}
