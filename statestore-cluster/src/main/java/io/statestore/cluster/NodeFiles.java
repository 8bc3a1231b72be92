package io.statestore.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;

import com.alipay.sofa.jraft.JRaftServiceFactory;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.entity.codec.LogEntryCodecFactory;
import com.alipay.sofa.jraft.entity.codec.v2.LogEntryV2CodecFactory;
import com.alipay.sofa.jraft.option.NodeOptions;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.storage.LogStorage;
import com.alipay.sofa.jraft.storage.RaftMetaStorage;
import com.alipay.sofa.jraft.storage.SnapshotStorage;
import com.alipay.sofa.jraft.storage.snapshot.local.LocalSnapshotStorage;
import io.statestore.broker.log.DamagedLogException;
import io.statestore.broker.log.LogException;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.log.SpareSpace;
import io.statestore.broker.log.StoreDirectoryException;
import io.statestore.broker.storage.Fsync;
import io.statestore.cluster.storage.RaftLog;
import io.statestore.cluster.storage.VoteFile;

/** A node's files, which JRaft uses instead of its own. */
final class NodeFiles implements JRaftServiceFactory, AutoCloseable {

	static final String SNAPSHOTS = "snapshots";

	static final String LOG = "raft";

	static final String VOTE = "vote";

	private static final String REPLACE = "The node does not start, because it could vote without entries that it has "
			+ "acknowledged. Remove it from the cluster, start it with an empty directory as a node that joins, and "
			+ "add it. If a majority of the nodes is damaged, start a new cluster with a backup";

	private final Path directory;

	private final RaftLog log;

	private final VoteFile vote;

	/**
	 * Opens the files.
	 * @throws LogException if a file cannot be used
	 */
	NodeFiles(RaftNodeOptions options, NodeDirectory directory, SpareSpace spare) {
		this.directory = options.directory();
		Path log = this.directory.resolve(LOG);
		Path vote = this.directory.resolve(VOTE);
		directory.require(log.resolve("store"), vote);
		try {
			this.log = new RaftLog(log,
					new LogOptions(Fsync.ALWAYS, Duration.ofSeconds(1), options.segmentBytes()).indexed(spare)
						.history(options.history()),
					options.snapshotId());
		}
		catch (DamagedLogException ex) {
			throw ex.withNextStep(REPLACE);
		}
		try {
			this.vote = new VoteFile(vote, !directory.isComplete());
			if (!directory.isComplete()) {
				installSeed(options, directory);
			}
			directory.complete();
			directory.voted(this.vote.getTerm());
		}
		catch (IOException ex) {
			this.log.close();
			throw StoreDirectoryException.of(this.directory, ex);
		}
		catch (RuntimeException | Error ex) {
			this.log.close();
			throw ex;
		}
	}

	/**
	 * Lets a node that has never voted start from the state that its cluster was created
	 * with, if any.
	 */
	private void installSeed(RaftNodeOptions options, NodeDirectory directory) throws IOException {
		UUID seed = directory.seed();
		if (seed == null) {
			NodeSeed.deleteAll(snapshots());
			return;
		}
		NodeSeed.install(this.directory, options.snapshotId(), seed, directory.founders(), snapshots());
		this.vote.setTermAndVotedFor(NodeSeed.TERM, PeerId.emptyPeer());
	}

	RaftLog log() {
		return this.log;
	}

	VoteFile vote() {
		return this.vote;
	}

	Path snapshots() {
		return this.directory.resolve(SNAPSHOTS);
	}

	@Override
	public LogStorage createLogStorage(String uri, RaftOptions options) {
		return this.log;
	}

	@Override
	public SnapshotStorage createSnapshotStorage(NodeOptions options) {
		return new LocalSnapshotStorage(snapshots().toString(), "", options.getRaftOptions());
	}

	@Override
	public RaftMetaStorage createRaftMetaStorage(String uri, RaftOptions options) {
		return this.vote;
	}

	@Override
	public LogEntryCodecFactory createLogEntryCodecFactory() {
		return LogEntryV2CodecFactory.getInstance();
	}

	@Override
	public void close() {
		try {
			this.log.close();
		}
		finally {
			this.vote.close();
		}
	}

}
