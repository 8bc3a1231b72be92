package io.statestore.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import javax.net.ssl.SSLContext;

import com.alipay.sofa.jraft.NodeManager;
import com.alipay.sofa.jraft.util.Endpoint;
import io.statestore.broker.storage.HistoryRetention;
import io.statestore.cluster.transport.Elections;
import io.statestore.test.FreePorts;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/** Nodes of a cluster in this JVM, with simulated partitions. */
final class TestCluster implements AutoCloseable {

	static final String NAME = "test";

	static final int MAX_ENTRY_BYTES = 48 << 10;

	static final long MIN_SNAPSHOT_LOG_BYTES = 64 << 20;

	private static @Nullable SSLContext tls;

	private final Path directory;

	private final List<Member> members = new ArrayList<>();

	private final Map<Member, RaftNode> nodes = new ConcurrentHashMap<>();

	private final Map<Member, TextMachine> machines = new ConcurrentHashMap<>();

	/** Endpoints that are separated from all other nodes. */
	private final Set<Endpoint> isolated = ConcurrentHashMap.newKeySet();

	/** Creates a node's machine. */
	private Function<Member, ReplicatedMachine> factory = (member) -> new TextMachine();

	private int segmentBytes = 64 << 10;

	private int spareBytes = 256 << 10;

	private long minSnapshotLogBytes = MIN_SNAPSHOT_LOG_BYTES;

	private @Nullable HistoryRetention history;

	/**
	 * Longer than the pauses of a busy machine, which must not replace the leader.
	 */
	private Duration electionTimeout = Duration.ofSeconds(10);

	private Duration roundTrip = Duration.ZERO;

	/** Ports that slow links forward connections to, by node. */
	private final Map<Member, Integer> behindLinks = new HashMap<>();

	private final List<SlowLink> links = new ArrayList<>();

	/** Number of texts that earlier tests have committed. */
	private int earlier;

	Path directory(Member member) {
		return this.directory.resolve("node-" + member.port());
	}

	TestCluster(Path directory, int size) throws IOException {
		this.directory = directory;
		for (int i = 0; i < size; i++) {
			Member member = newMember();
			while (this.members.contains(member)) {
				member = newMember();
			}
			this.members.add(member);
		}
	}

	static Member newMember() {
		return new Member("127.0.0.1", FreePorts.next());
	}

	/** Creates the TLS context that all nodes in this JVM share. */
	private static SSLContext tls(Path directory) throws IOException {
		synchronized (TestCluster.class) {
			SSLContext existing = tls;
			if (existing == null) {
				existing = TestNodes.certificate(directory).newContext();
				tls = existing;
			}
			return existing;
		}
	}

	List<Member> members() {
		return this.members;
	}

	void setFactory(Function<Member, ReplicatedMachine> factory) {
		this.factory = factory;
	}

	void startAll() throws Exception {
		for (Member member : this.members) {
			start(member, this.members);
		}
		elect();
	}

	/**
	 * Elects a leader among the nodes that are not isolated, without waiting for the
	 * election timeout.
	 */
	void elect() {
		Elections.begin(NAME,
				this.nodes.keySet()
					.stream()
					.map(Member::endpoint)
					.filter((endpoint) -> !this.isolated.contains(endpoint))
					.toList());
	}

	void setMinSnapshotLogBytes(long bytes) {
		this.minSnapshotLogBytes = bytes;
	}

	void setHistory(HistoryRetention history) {
		this.history = history;
	}

	void setElectionTimeout(Duration timeout) {
		this.electionTimeout = timeout;
	}

	/** Delays all traffic between nodes that are started afterward. */
	void setRoundTrip(Duration roundTrip) {
		this.roundTrip = roundTrip;
	}

	private int listenPort(Member member) throws IOException {
		if (this.roundTrip.isZero()) {
			return member.port();
		}
		Integer port = this.behindLinks.get(member);
		if (port == null) {
			port = FreePorts.next();
			this.behindLinks.put(member, port);
			this.links.add(new SlowLink(member.port(), port, this.roundTrip.dividedBy(2)));
		}
		return port;
	}

	RaftNode start(Member member, List<Member> initial) throws Exception {
		return start(member, NodeStart.newCluster(initial));
	}

	RaftNode start(Member member, NodeStart start) throws Exception {
		ReplicatedMachine machine = this.factory.apply(member);
		SSLContext tls = tls(this.directory.resolve("tls"));
		RaftNodeOptions options = new RaftNodeOptions(NAME, member, start,
				new InetSocketAddress(member.host(), listenPort(member)), directory(member), () -> tls,
				this.electionTimeout, MAX_ENTRY_BYTES, this.segmentBytes, this.spareBytes, this.minSnapshotLogBytes,
				this.history);
		RaftNode node = RaftNode.start(options, machine, this::reaches);
		if (machine instanceof TextMachine text) {
			this.machines.put(member, text);
		}
		this.nodes.put(member, node);
		return node;
	}

	private boolean reaches(Endpoint from, Endpoint to) {
		return !this.isolated.contains(from) && !this.isolated.contains(to);
	}

	void isolate(Member member) {
		this.isolated.add(member.endpoint());
	}

	void heal() {
		this.isolated.clear();
	}

	/**
	 * Isolates a node before stopping it, so that it cannot announce its end. The other
	 * nodes notice the end, as they notice the end of a process.
	 */
	void kill(Member member) {
		isolate(member);
		stop(member);
		this.isolated.remove(member.endpoint());
		this.nodes.keySet().forEach((other) -> jraft(other).ended(member.endpoint()));
	}

	static ElectingNode jraft(Member member) {
		return (ElectingNode) NodeManager.getInstance().get(NAME, member.peer());
	}

	void stop(Member member) {
		RaftNode node = this.nodes.remove(member);
		if (node != null) {
			node.close();
		}
	}

	boolean isRunning(Member member) {
		return this.nodes.containsKey(member);
	}

	RaftNode node(Member member) {
		RaftNode node = this.nodes.get(member);
		if (node == null) {
			throw new AssertionError(member + " is not running");
		}
		return node;
	}

	TextMachine machine(Member member) {
		return Objects.requireNonNull(this.machines.get(member));
	}

	/** Waits for a leader among the running nodes that are not isolated. */
	Member leader() {
		return await().until(this::leaders, (leaders) -> leaders.size() == 1).get(0);
	}

	private List<Member> leaders() {
		return this.nodes.entrySet()
			.stream()
			.filter((entry) -> !this.isolated.contains(entry.getKey().endpoint()) && entry.getValue().isLeading())
			.map(Map.Entry::getKey)
			.toList();
	}

	/** Waits until all running nodes know the leader. */
	void awaitFollowers(Member leader) {
		await().until(() -> this.nodes.values().stream().allMatch((node) -> leader.equals(node.leader())));
	}

	/** Waits until the leader knows that all members have all entries. */
	void awaitNoLag() {
		await().until(() -> node(leader()).status().members().stream().allMatch((member) -> member.lag() == 0));
	}

	Member follower() {
		Member leader = leader();
		return this.nodes.keySet().stream().filter((member) -> !member.equals(leader)).findFirst().orElseThrow();
	}

	List<RaftNode> running() {
		return List.copyOf(this.nodes.values());
	}

	CompletableFuture<Long> propose(Member member, String text) {
		return node(member).propose(bytes(text));
	}

	static ByteBuffer bytes(String text) {
		return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
	}

	static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(60));
	}

	/**
	 * Proposes texts, and waits until they are committed. If a text was lost in a change
	 * of leadership, proposes it again.
	 */
	void commit(String... texts) throws InterruptedException, ExecutionException, TimeoutException {
		for (String text : texts) {
			int before = machine(leader()).texts().size();
			while (!isCommitted(text, before)) {
				// The next leader may or may not have the text.
			}
		}
	}

	private boolean isCommitted(String text, int before)
			throws InterruptedException, ExecutionException, TimeoutException {
		try {
			propose(leader(), text).get(20, TimeUnit.SECONDS);
			return true;
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof ProposalRejectedException) {
				// The log does not contain the text, and does not have room for it yet.
				return false;
			}
			if (!(ex.getCause() instanceof OutcomeUnknownException || ex.getCause() instanceof NotLeaderException)) {
				throw ex;
			}
		}
		Member next = leader();
		// After this, the outcomes of all earlier leaders' proposals are known.
		node(next).readIndex().get(20, TimeUnit.SECONDS);
		List<String> texts = machine(next).texts();
		return texts.subList(Math.min(before, texts.size()), texts.size()).contains(text);
	}

	/**
	 * Waits until all running nodes have applied the same texts. Returns them without the
	 * texts of earlier tests.
	 */
	List<String> awaitEqual(int size) {
		try {
			await().until(() -> this.nodes.keySet().stream().noneMatch((member) -> machine(member).hasFailed())
					&& sizes().values().stream().allMatch((actual) -> actual == this.earlier + size));
		}
		catch (ConditionTimeoutException ex) {
			throw new AssertionError("leaders " + leaders() + ", texts " + sizes() + ", earlier " + this.earlier, ex);
		}
		List<List<String>> all = this.nodes.keySet().stream().map(this::texts).toList();
		if (!all.stream().allMatch(all.get(0)::equals)) {
			throw new AssertionError("The nodes differ: " + all);
		}
		return all.get(0);
	}

	/** Returns the texts that a node has applied, without the texts of earlier tests. */
	List<String> texts(Member member) {
		List<String> texts = machine(member).texts();
		return texts.subList(Math.min(this.earlier, texts.size()), texts.size());
	}

	/** Returns the number of this test's texts that a node has received in a snapshot. */
	int restored(Member member) {
		return machine(member).restored() - this.earlier;
	}

	/**
	 * Prepares the cluster for the next test, so that all nodes run and have the same
	 * texts.
	 */
	void restore() throws Exception {
		heal();
		for (Member member : this.members) {
			if (isRunning(member) && machine(member).hasFailed()) {
				stop(member);
			}
			if (!isRunning(member)) {
				start(member, NodeStart.existing());
			}
		}
		elect();
		commit("restored");
		this.earlier = 0;
		this.earlier = awaitEqual(machine(leader()).texts().size()).size();
		awaitFollowers(leader());
		awaitNoLag();
	}

	private Map<Member, Integer> sizes() {
		Map<Member, Integer> sizes = new HashMap<>();
		this.nodes.keySet().forEach((member) -> sizes.put(member, machine(member).texts().size()));
		return sizes;
	}

	@Override
	public void close() {
		List.copyOf(this.nodes.keySet()).forEach(this::stop);
		for (SlowLink link : this.links) {
			try {
				link.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

}
