package io.statestore.cluster;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import com.alipay.sofa.jraft.util.Endpoint;
import io.statestore.broker.cluster.ClusterOptions.InitialState;
import io.statestore.broker.log.StoreDirectory;
import io.statestore.broker.log.StoreDirectoryException;
import io.statestore.broker.log.TwinFile;
import io.statestore.cluster.transport.Directories;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's directory, locked against other processes. Its {@code node} file names the
 * node and the cluster. This file is created first, and records when all other files
 * exist. A node that lacks one of them afterward has lost it, and must not vote.
 */
final class NodeDirectory implements Directories, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(NodeDirectory.class);

	static final String NODE = "node";

	private static final Set<String> IGNORED = Set.of(StoreDirectory.LOCK, NODE + ".tmp", NodeSeed.FILE, "lost+found");

	private final RaftNodeOptions options;

	private final Path path;

	private final Closeable lock;

	private final TwinFile file;

	private volatile NodeIdentity identity;

	/** Whether this node has voted or knows the directories of all founders. */
	private volatile boolean mayTakePart;

	private NodeDirectory(RaftNodeOptions options, Closeable lock) throws IOException {
		this.options = options;
		this.path = options.directory();
		this.lock = lock;
		if (Files.exists(this.path.resolve(NODE))) {
			this.file = TwinFile.open(this.path.resolve(NODE));
			try {
				this.identity = existing();
				if (!this.identity.complete() && options.start().state() != InitialState.EXISTING) {
					// The directory was never used.
					this.identity = create();
					this.file.write(this.identity.encode());
				}
			}
			catch (IOException | RuntimeException ex) {
				this.file.close();
				throw ex;
			}
			return;
		}
		requireEmpty();
		if (options.start().state() == InitialState.EXISTING) {
			throw refusal(
					"has no data. If the cluster is new, start each of its nodes as a member of a new cluster. If "
							+ "this node lost its data, remove it from the cluster, start it as a node that joins, and add it");
		}
		this.identity = create();
		this.file = TwinFile.create(this.path.resolve(NODE), this.identity.encode());
	}

	/**
	 * Locks the directory, and creates it if the options permit.
	 * @throws StoreDirectoryException if this node must not use the directory, another
	 * process uses it, or the disk fails or is full
	 */
	static NodeDirectory open(RaftNodeOptions options) {
		try {
			StoreDirectory.create(options.directory());
			Closeable lock = StoreDirectory.lock(options.directory());
			try {
				return new NodeDirectory(options, lock);
			}
			catch (IOException | RuntimeException ex) {
				lock.close();
				throw ex;
			}
		}
		catch (IOException ex) {
			throw StoreDirectoryException.of(options.directory(), ex);
		}
	}

	private NodeIdentity create() throws IOException {
		UUID seed = NodeSeed.digest(this.path, this.options.snapshotId());
		if (seed != null && this.options.start().state() == InitialState.JOIN) {
			throw refusal("was restored from a backup for a new cluster, but this node joins one that exists. Use an "
					+ "empty directory");
		}
		return NodeIdentity.create(this.options, seed);
	}

	private NodeIdentity existing() throws IOException {
		NodeIdentity existing = NodeIdentity.decode(this.file.content());
		if (existing == null) {
			throw refusal("was written by another version. Use that version");
		}
		if (!existing.cluster().equals(this.options.cluster())) {
			throw refusal("belongs to cluster '" + existing.cluster() + "', but the name of the cluster is '"
					+ this.options.cluster() + "'. Use the directory of this node");
		}
		if (!Member.parse(existing.node()).withNumber(0).equals(this.options.self())) {
			throw refusal("belongs to node " + existing.node() + ", but this is node " + this.options.self()
					+ ". Use the directory of this node. A node keeps its address");
		}
		return existing;
	}

	private void requireEmpty() throws IOException {
		List<String> names;
		try (Stream<Path> files = Files.list(this.path)) {
			names = files.map((file) -> file.getFileName().toString())
				.filter((name) -> !IGNORED.contains(name))
				.sorted()
				.toList();
		}
		if (names.contains("store")) {
			throw refusal("has a store that is not part of a cluster. Use an empty directory. For a new cluster "
					+ "with its data, make a backup, and restore it for each node with 'restore --new-cluster'");
		}
		if (!names.isEmpty()) {
			throw refusal("is not that of a node and has other files, such as '" + names.get(0)
					+ "'. Use an empty directory");
		}
	}

	Member self() {
		return Member.parse(this.identity.node());
	}

	/** Returns whether all other files must exist. */
	boolean isComplete() {
		return this.identity.complete();
	}

	/**
	 * Requires the files of an earlier start, unless this is the first start.
	 * @param files directories and files, all of which must exist
	 */
	void require(Path... files) {
		for (Path file : files) {
			if (isComplete() && !Files.exists(file)) {
				throw refusal("lacks the file " + this.path.relativize(file)
						+ ", without which the node could vote twice. Remove the "
						+ "node from the cluster, start it with an empty directory as a node that joins, and add it");
			}
		}
	}

	/** Records that all files exist. Called before the node votes for the first time. */
	synchronized void complete() throws IOException {
		if (!isComplete()) {
			this.identity = this.identity.completed();
			this.file.write(this.identity.encode());
		}
		NodeSeed.delete(this.path);
	}

	/**
	 * Permits this node to take part if it has already voted, even if it does not know
	 * all founders' directories, which earlier versions did not record.
	 * @param term the term in the vote file
	 */
	void voted(long term) {
		this.mayTakePart = term > ((this.identity.seed() != null) ? NodeSeed.TERM : 0);
	}

	@Override
	public boolean mayTakePart() {
		if (!this.mayTakePart) {
			this.mayTakePart = unknownFounders().isEmpty();
		}
		return this.mayTakePart;
	}

	/**
	 * Returns the digest of the state that the cluster was created with, {@code null} if
	 * it began empty.
	 */
	@Nullable UUID seed() {
		return this.identity.seed();
	}

	/**
	 * Returns the founders, that is, the members that the cluster was created with; empty
	 * for a node that joined.
	 */
	List<Member> founders() {
		return this.identity.members().stream().map(Member::parse).toList();
	}

	@Override
	public String foundersDigest() {
		return this.identity.foundersDigest();
	}

	@Override
	public String own() {
		return this.identity.members().isEmpty() ? "" : this.identity.id().toString();
	}

	@Override
	public @Nullable String of(Endpoint node) {
		NodeIdentity identity = this.identity;
		if (!identity.members().contains(node.toString())) {
			return null;
		}
		UUID directory = identity.directoryOf(node.toString());
		return (directory != null) ? directory.toString() : "";
	}

	@Override
	public synchronized void record(Endpoint node, String directory) {
		if (!"".equals(of(node))) {
			return;
		}
		try {
			NodeIdentity known = this.identity.withDirectory(node.toString(), UUID.fromString(directory));
			this.file.write(known.encode());
			this.identity = known;
		}
		catch (IOException | IllegalArgumentException ex) {
			logger.warn("Cannot save the directory ID of node {}; trying again: {}. Check the disk", node,
					ex.toString());
		}
	}

	/** Returns the other founders whose directories are unknown. */
	List<Endpoint> unknownFounders() {
		return founders().stream()
			.map(Member::endpoint)
			.filter((member) -> !member.equals(this.options.self().endpoint()) && "".equals(of(member)))
			.toList();
	}

	/**
	 * Warns if the members in the options are neither the current members nor the
	 * founders, and if this node is not a member. A node that joins knows neither of them
	 * at first.
	 * @param current members according to the log, empty if it does not name any
	 */
	void compareMembers(List<Member> current) {
		List<String> named = sorted(this.options.start().members());
		List<?> known = current.isEmpty() ? this.identity.members() : current;
		if (!named.isEmpty() && !known.isEmpty() && !named.equals(this.identity.members())
				&& !named.equals(sorted(current))) {
			logger
				.warn("Node {} ignores the members {}, because its directory {} belongs to a cluster with the members "
						+ "{}. Add and remove members while the cluster runs, and name the current members in --peers",
						this.options.self(), named, this.path, known);
		}
		if (!current.isEmpty() && !current.contains(self())) {
			logger
				.warn("Node {} is not one of the members {}: it was removed, or is not added yet. It does not take part "
						+ "in the cluster. If it was removed, stop it. To add it again, start it with --join and an empty "
						+ "directory", self(), current);
		}
	}

	private static List<String> sorted(List<Member> members) {
		return members.stream().map((member) -> member.withNumber(0).toString()).sorted().toList();
	}

	private StoreDirectoryException refusal(String reason) {
		return new StoreDirectoryException("Directory " + this.path + ' ' + reason);
	}

	/** Closes the file and releases the lock. */
	@Override
	public synchronized void close() {
		try {
			this.file.close();
			this.lock.close();
		}
		catch (IOException ex) {
			logger.debug("Cannot close {}", this.path, ex);
		}
	}

}
