package io.statestore.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.certificates.CertificateAuthority;
import io.statestore.broker.certificates.CertificateRequest;
import io.statestore.broker.certificates.IssuedCertificate;
import io.statestore.broker.cluster.ClusterOptions;
import io.statestore.broker.cluster.ClusterOptions.Start;
import io.statestore.broker.cluster.Leadership;
import io.statestore.broker.cluster.NodeAddress;
import io.statestore.broker.security.PemFiles;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Brokers of one cluster in this JVM. */
public final class BrokerCluster implements AutoCloseable {

	private final Path directory;

	private final UnaryOperator<StateStoreBrokerBuilder> settings;

	private final CertificateAuthority authority = CertificateAuthority.create("nodes", Duration.ofDays(1));

	private final Map<String, NodeAddress> peers = new LinkedHashMap<>();

	private final Map<String, StateStoreBroker> brokers = new TreeMap<>();

	/** Starts three brokers, and waits until clients can connect to each. */
	public BrokerCluster(Path directory, UnaryOperator<StateStoreBrokerBuilder> settings) throws IOException {
		this.directory = directory;
		this.settings = settings;
		List<ServerSocket> sockets = new ArrayList<>();
		for (String name : List.of("a", "b", "c")) {
			ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
			sockets.add(socket);
			this.peers.put(name, new NodeAddress("127.0.0.1", socket.getLocalPort()));
		}
		for (ServerSocket socket : sockets) {
			socket.close();
		}
		this.peers.keySet().forEach((name) -> start(name, Start.NEW_CLUSTER));
		awaitReady();
	}

	static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(10));
	}

	void start(String name, Start start) {
		try {
			this.brokers.put(name,
					this.settings
						.apply(StateStoreBroker.builder()
							.cluster(ClusterOptions
								.of(name, this.peers, this.directory.resolve("node-" + name), certificate(name))
								.withStart(start)))
						.start());
		}
		catch (IOException ex) {
			throw new AssertionError(ex);
		}
	}

	private PemFiles certificate(String name) throws IOException {
		IssuedCertificate issued = this.authority
			.issue(CertificateRequest.node(List.of("127.0.0.1"), Duration.ofDays(1)));
		Path base = Files.createDirectories(this.directory.resolve("tls-" + name));
		return PemFiles
			.of(Files.writeString(base.resolve("crt"), issued.certificatePem()),
					Files.writeString(base.resolve("key"), issued.keyPem()))
			.withAuthorities(Files.writeString(base.resolve("ca"), this.authority.certificate().certificatePem()));
	}

	/** Waits until clients can connect to each running broker. */
	void awaitReady() {
		await().until(() -> this.brokers.values().stream().allMatch(StateStoreBroker::isReady));
	}

	/** Returns a running broker. */
	public StateStoreBroker broker(String name) {
		return Objects.requireNonNull(this.brokers.get(name));
	}

	List<StateStoreBroker> brokers() {
		return List.copyOf(this.brokers.values());
	}

	/** Waits for the name of the leader. */
	String leader() {
		await().until(() -> !leaders().isEmpty());
		return leaders().get(0);
	}

	private List<String> leaders() {
		return this.brokers.values()
			.stream()
			.filter(StateStoreBroker::isReady)
			.map((broker) -> broker.leadership().orElseThrow())
			.filter(Leadership::leading)
			.map(Leadership::node)
			.toList();
	}

	/** Returns the name of a node that follows. */
	public String follower() {
		String leader = leader();
		return this.brokers.keySet().stream().filter((name) -> !name.equals(leader)).findFirst().orElseThrow();
	}

	void stop(String name) {
		Objects.requireNonNull(this.brokers.remove(name)).close();
	}

	@Override
	public void close() {
		this.brokers.values().forEach(StateStoreBroker::close);
	}

}
