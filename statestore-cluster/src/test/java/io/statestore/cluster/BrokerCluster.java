package io.statestore.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.cluster.ClusterOptions;
import io.statestore.broker.cluster.ClusterOptions.InitialState;
import io.statestore.cluster.transport.Elections;
import io.statestore.broker.cluster.Leadership;
import io.statestore.broker.cluster.NodeAddress;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Brokers of a cluster in this JVM. */
public final class BrokerCluster implements AutoCloseable {

	/** Longer than the pauses of a busy machine, which must not replace the leader. */
	private static final Duration ELECTION_TIMEOUT = Duration.ofSeconds(10);

	private final UnaryOperator<StateStoreBrokerBuilder> settings;

	private final TestNodes nodes;

	private final Map<String, StateStoreBroker> brokers = new TreeMap<>();

	/** Client ports, which brokers keep when they restart. */
	private final Map<String, Integer> ports = new TreeMap<>();

	/** Starts three brokers, and waits until clients can connect to each of them. */
	public BrokerCluster(Path directory, UnaryOperator<StateStoreBrokerBuilder> settings) throws IOException {
		this(directory, settings, "a", "b", "c");
	}

	/**
	 * Starts some of three brokers, and waits until clients can connect to each of them.
	 */
	BrokerCluster(Path directory, UnaryOperator<StateStoreBrokerBuilder> settings, String... started)
			throws IOException {
		this.nodes = new TestNodes(directory, "a", "b", "c");
		this.settings = settings;
		for (String name : started) {
			start(name, InitialState.NEW_CLUSTER);
		}
		if (started.length > 0) {
			elect();
		}
		awaitReady();
	}

	/** Elects a leader without waiting for the election timeout. */
	void elect() {
		Elections.begin("statestore", this.nodes.endpoints(this.brokers.keySet()));
	}

	/** Makes a leader step down, as when another node has begun a later term. */
	void depose(String name) {
		Elections.depose("statestore", this.nodes.endpoints(Set.of(name)).get(0));
	}

	/**
	 * Starts a broker that waits until the cluster adds it. The other brokers do not know
	 * its name.
	 */
	public NodeAddress join(String name) throws IOException {
		NodeAddress address = this.nodes.add(name);
		start(name, InitialState.JOIN);
		return address;
	}

	static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(10));
	}

	public void start(String name, InitialState start) {
		try {
			StateStoreBrokerBuilder builder = StateStoreBroker.builder()
				.cluster(options(name, start))
				.port(this.ports.getOrDefault(name, 0));
			StateStoreBroker broker = this.settings.apply(builder).start();
			this.brokers.put(name, broker);
			this.ports.put(name, broker.port());
		}
		catch (IOException ex) {
			throw new AssertionError(ex);
		}
	}

	private ClusterOptions options(String name, InitialState start) throws IOException {
		return this.nodes.options(name, start).withElectionTimeout(ELECTION_TIMEOUT);
	}

	/** Waits until clients can connect to each running broker. */
	void awaitReady() {
		await().until(() -> this.brokers.values().stream().allMatch(StateStoreBroker::isReady));
	}

	boolean isRunning(String name) {
		return this.brokers.containsKey(name);
	}

	public StateStoreBroker broker(String name) {
		return Objects.requireNonNull(this.brokers.get(name));
	}

	public List<StateStoreBroker> brokers() {
		return List.copyOf(this.brokers.values());
	}

	/** Waits for the name of the leader. */
	public String leader() {
		return await().until(this::leaders, (leaders) -> !leaders.isEmpty()).get(0);
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

	public String follower() {
		String leader = leader();
		return this.brokers.keySet().stream().filter((name) -> !name.equals(leader)).findFirst().orElseThrow();
	}

	public void stop(String name) {
		Objects.requireNonNull(this.brokers.remove(name)).close();
	}

	@Override
	public void close() {
		this.brokers.values().forEach(StateStoreBroker::close);
	}

}
