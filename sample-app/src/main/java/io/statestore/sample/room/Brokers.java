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
 * Three brokers that form one store, each in a separate process: docs/cluster.md. They
 * run the {@link io.statestore.sample.broker.BrokerApplication}. With a single broker,
 * there are no such processes.
 */
@Component
class Brokers implements StateStoreConnectionDetails {

	private final Map<String, ChildProcess> processes = new TreeMap<>();

	private final List<Integer> ports;

	private final Line line;

	/** Brokers as reported by their leader; empty if no broker answers. */
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
			// The directory depends on the port, because the nodes' addresses are part of
			// their data.
			Path directory = properties.data().resolve("brokers-" + port);
			// For your own machines, use the command 'certs --node'.
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

	/** Starts a broker. A node's default limits need a 256 MiB heap. */
	private static Process launch(String name, Map<String, String> environment, Path directory, int port,
			String peers) {
		// Each node writes this file when it first starts.
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

	/** Returns the ports that clients can connect to, even with a single broker. */
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

	/**
	 * Returns all three brokers, any of which the client can connect to:
	 * docs/deployment.md.
	 */
	@Override
	public List<String> getHosts() {
		return isCluster() ? this.ports.stream().map((port) -> "localhost:" + port).toList() : List.of();
	}

	/** Starts all brokers together, because a single one would not have a leader. */
	AutoCloseable start() {
		this.processes.values().forEach(ChildProcess::start);
		return () -> this.processes.values().forEach(ChildProcess::close);
	}

	ChildProcess get(String name) {
		ChildProcess process = this.processes.get(name);
		if (process == null) {
			throw new IllegalStateException(
					name + " does not exist. For three brokers, start the control room with --sample.brokers=3");
		}
		return process;
	}

	/**
	 * Handles an answer from the leading broker.
	 * @param answer the brokers that it reports; empty if no broker answers
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

	/** Returns the states of the three brokers; empty with a single broker. */
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
	 * One of three brokers, as shown on the page.
	 *
	 * @param name broker name, such as {@code broker-1}
	 * @param role one of the constants below
	 * @param term latest term of leadership that the broker knows; 0 if unknown
	 */
	record State(String name, String role, long term) {

		/** Handles the clients' requests. */
		static final String LEADER = "Leader";

		/** Has a copy of the store and redirects clients to the leader. */
		static final String FOLLOWER = "Follower";

		/** Is running, but no leader has reported its role yet. */
		static final String WAITING = "Waiting";

		/** Its process has ended. */
		static final String STOPPED = "Stopped";

	}

}
