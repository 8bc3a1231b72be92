package io.statestore.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

import com.alipay.sofa.jraft.JRaftServiceFactory;
import com.alipay.sofa.jraft.entity.codec.LogEntryCodecFactory;
import com.alipay.sofa.jraft.entity.codec.v2.LogEntryV2CodecFactory;
import com.alipay.sofa.jraft.option.NodeOptions;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.storage.LogStorage;
import com.alipay.sofa.jraft.storage.RaftMetaStorage;
import com.alipay.sofa.jraft.storage.SnapshotStorage;
import com.alipay.sofa.jraft.storage.snapshot.local.LocalSnapshotStorage;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.storage.Fsync;
import io.statestore.cluster.storage.RaftLog;
import io.statestore.cluster.storage.Space;
import io.statestore.cluster.storage.VoteFile;

/** Files of one node, which JRaft uses instead of its own. */
final class NodeFiles implements JRaftServiceFactory, AutoCloseable {

	private final Path directory;

	private final Space space;

	private final RaftLog log;

	private final VoteFile vote;

	/**
	 * Opens the files.
	 * @throws IOException if a file cannot be used
	 */
	NodeFiles(RaftNodeOptions options) throws IOException {
		this.directory = options.directory();
		this.space = new Space(options.spareBytes());
		this.log = new RaftLog(this.directory.resolve("raft"),
				new LogOptions(Fsync.ALWAYS, Duration.ofSeconds(1), options.segmentBytes()), this.space);
		try {
			this.vote = new VoteFile(this.directory.resolve("vote"), this.log.isCreated());
		}
		catch (IOException | RuntimeException ex) {
			this.log.close();
			throw ex;
		}
	}

	Space space() {
		return this.space;
	}

	RaftLog log() {
		return this.log;
	}

	/** Returns the latest term that this node knows. */
	long term() {
		return this.vote.getTerm();
	}

	Path snapshots() {
		return this.directory.resolve("snapshots");
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
		this.log.close();
		this.vote.close();
	}

}
